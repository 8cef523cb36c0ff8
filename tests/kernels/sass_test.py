"""sass.count on a listing small enough to count by hand; it has the form of what nvdisasm prints."""
import unittest

import sass

LISTING = """
.section	.text._Z4loopv,"ax",@progbits
.text._Z4loopv:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/               @P0 EXIT ;
        /*0020*/                   ISETP.GT.U32.AND P0, PT, R22, RZ, PT ;
.L_x_1:
        /*0030*/                   MUFU.RSQ R27, R0 ;
        /*0040*/              @!P1 BRA `(.L_x_2) ;
        /*0050*/                   MOV R2, R3 ;
        /*0060*/                   CALL.REL.NOINC `($__internal_2_$__cuda_sm20_sqrt_rn_f32_slowpath) ;
        /*0070*/                   BRA `(.L_x_3) ;
.L_x_2:
        /*0080*/                   FMUL R4, R5, R6 ;
.L_x_3:
        /*0090*/                   BRA.DIV ~URZ, `(.L_x_9) ;
        /*00a0*/                   VOTE.ANY R35, PT, P1 ;
.L_x_4:
        /*00b0*/                   IADD3 R4, R4, 0x1, RZ ;
        /*00c0*/               @P0 BRA `(.L_x_4) ;
        /*00d0*/               @P2 BRA `(.L_x_1) ;
        /*00e0*/                   EXIT ;
.L_x_9:
        /*00f0*/                   CALL.REL.NOINC `($__internal_5_$__cuda_sm70_votesync_ballot) ;
        /*0100*/                   BRA `(.L_x_4) ;
.L_x_5:
        /*0110*/                   BRA `(.L_x_5);
        .size           $__internal_2_$__cuda_sm20_sqrt_rn_f32_slowpath,(.L_x_225)
$__internal_2_$__cuda_sm20_sqrt_rn_f32_slowpath:
        /*0120*/                   NOP ;
"""


class SassCount(unittest.TestCase):
    lines = sass.functions(LISTING)["_Z4loopv"]

    def test_bodies_times_trips(self):
        # 3 before the loop and EXIT after it; the outer body MUFU, BRA, FMUL, BRA.DIV, VOTE, the last BRA; the inner one 2.
        self.assertEqual(sass.count(self.lines, [10, 25]), 4 + 10 * 6 + 25 * 2)

    def test_a_loop_that_nobody_knows_is_an_error(self):
        with self.assertRaisesRegex(sass.CountError, "2 loops"):
            sass.count(self.lines, [10])

    def test_an_unknown_subroutine_is_an_error(self):
        lines = [line.replace("sqrt_rn_f32_slowpath", "div_u64") for line in self.lines]
        with self.assertRaisesRegex(sass.CountError, "div_u64"):
            sass.count(lines, [10, 25])


if __name__ == "__main__":
    unittest.main()
