#!/bin/sh
# Every page of the dashboard against the types of the contract: dashboard_types.sh TOOLS SOURCE
set -eu
tools=$1
source=$2
if [ ! -d "$tools/node_modules" ]; then
  echo "SKIPPED: no npm, so no dashboard" >&2
  [ "${CI:-}" = true ] && exit 1
  exit 77
fi
rm -rf "$tools/src"
cp -r "$source/web/src" "$source/web/tsconfig.json" "$source/web/package.json" "$tools/"
cd "$tools"
node_modules/.bin/openapi-typescript "$source/docs/reference/openapi.json" -o src/lib/schema.ts >/dev/null
node_modules/.bin/tsc --noEmit
echo "every page agrees with the contract"
