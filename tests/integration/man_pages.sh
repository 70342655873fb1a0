#!/bin/sh
# Man pages of all commands are written, and groff has nothing to say of them: man_pages.sh PROGRAM
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$1" __commands --man "$directory"
[ -s "$directory/gpu-platform.1" ] && [ -s "$directory/gpu-platform-jobs.1" ]
for page in "$directory"/*.1; do
  said=$(groff -Kutf8 -man -Tutf8 -ww -z "$page" 2>&1)
  [ -z "$said" ] || { echo "$said" >&2; exit 1; }
done
groff -man -Tutf8 -P-cbou "$directory/gpu-platform-jobs.1" | grep -q 'gpu-platform jobs describe'
# The codes are those of the document.
told=$(sed -n 's/^| \([0-9]*\) |.*/\1/p' "$(dirname "$0")/../../docs/reference/exit_codes.md")
listed=$(sed -n '/EXIT STATUS/,/^\.PP/p' "$directory/gpu-platform.1" | grep -E '^[0-9]+$')
[ "$told" = "$listed" ] || { echo "exit codes: the document has $told, the pages $listed" >&2; exit 1; }
echo "$(ls "$directory" | wc -l) pages"
