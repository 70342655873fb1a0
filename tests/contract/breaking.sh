#!/bin/sh
# Refuses changes of the .proto files that break programs built against those that were published: breaking.sh TOOLS PROTO
# What is meant to break: make publish-contract, and say so in the changelog.
set -eu
buf=$(echo "$1"/node_modules/@bufbuild/buf-linux-*/bin/buf)  # npm has put there the one for this machine
proto=$2
if [ ! -x "$buf" ]; then
  echo "SKIPPED: no buf, which npm fetches" >&2
  [ "${CI:-}" = true ] && exit 1
  exit 77
fi
"$buf" breaking "$proto" --against "$proto/published.binpb"

# The gate can be closed: a field that is gone, one of another type, one of another number, a call that is gone.
for change in '/string request_id = 2;/d' 's/string request_id = 2;/int64 request_id = 2;/' 's/string request_id = 2;/string request_id = 99;/' '/rpc GetMetrics/d'; do
  broken=$(mktemp -d)
  cp -r "$proto/gpu_platform" "$broken/"
  sed -i "$change" "$broken/gpu_platform/v1/control.proto"
  if "$buf" breaking "$broken" --against "$proto/published.binpb" >/dev/null 2>&1; then
    echo "not noticed: $change" >&2
    exit 1
  fi
  rm -rf "$broken"
done
echo "nothing that was published is broken, and what would be is noticed"
