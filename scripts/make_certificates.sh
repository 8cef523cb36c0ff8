#!/usr/bin/env bash
# Makes what two parties need to trust each other: make_certificates.sh DIR [DAYS]
# DIR/ca.key signs; DIR/ap and DIR/pp each get ca.pem, cert.pem, key.pem for --tls. Between two hosts each
# party should make its own key and have it signed (docs/deployment.md); this is for trying out.
set -euo pipefail
dir=${1:?where to? make_certificates.sh DIR [DAYS]}
days=${2:-30}
mkdir -p "$dir"
umask 077
curve=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
if [ ! -f "$dir/ca.key" ]; then
  openssl req -x509 "${curve[@]}" -keyout "$dir/ca.key" -out "$dir/ca.pem" -days "$days" \
    -subj "/CN=maskbench CA" -addext "basicConstraints=critical,CA:TRUE" 2>/dev/null
fi
for role in ap pp; do
  mkdir -p "$dir/$role"
  openssl req "${curve[@]}" -keyout "$dir/$role/key.pem" -out "$dir/$role/request.pem" \
    -subj "/CN=$role.maskbench" 2>/dev/null
  openssl x509 -req -in "$dir/$role/request.pem" -CA "$dir/ca.pem" -CAkey "$dir/ca.key" -CAcreateserial \
    -days "$days" -out "$dir/$role/cert.pem" \
    -extfile <(printf 'subjectAltName=DNS:%s.maskbench\nextendedKeyUsage=serverAuth,clientAuth\n' "$role") 2>/dev/null
  cp "$dir/ca.pem" "$dir/$role/ca.pem"
  rm "$dir/$role/request.pem"
done
