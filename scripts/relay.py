#!/usr/bin/python3
"""A line that takes its time: relay.py LISTEN HOST PORT MILLISECONDS [COUNTS]

Carries bytes between 127.0.0.1:LISTEN and HOST:PORT, each MILLISECONDS after it came. When a connection ends the bytes that went
there and back are written to COUNTS, a line with two numbers.
"""
import asyncio
import sys
import time


async def delayed(reader, writer, seconds):
    """The number of bytes carried."""
    queue, carried = asyncio.Queue(), 0

    async def deliver():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - time.monotonic()))
            if not data:
                return writer.close()
            writer.write(data)
            await writer.drain()
    sender = asyncio.create_task(deliver())
    try:
        while data := await reader.read(1 << 18):
            carried += len(data)
            queue.put_nowait((time.monotonic() + seconds, data))
    except ConnectionError:
        pass
    queue.put_nowait((0, b""))
    try:
        await sender
    except ConnectionError:
        pass
    return carried


async def relay(listen, host, port, milliseconds, counts):
    async def serve(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(host, port)
        except OSError:
            return writer.close()
        carried = await asyncio.gather(delayed(reader, far_writer, milliseconds / 1e3),
                                       delayed(far_reader, writer, milliseconds / 1e3))
        if counts:
            with open(counts, "w", encoding="utf-8") as file:
                file.write("{} {}\n".format(*carried))
    async with await asyncio.start_server(serve, "127.0.0.1", listen) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(relay(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), (sys.argv[5:] or [""])[0]))
