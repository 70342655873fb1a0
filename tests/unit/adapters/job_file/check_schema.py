#!/usr/bin/env python3
"""Compares the verdicts of the JSON Schema with those of the decoder over a corpus.

Usage: check_schema.py schema.json corpus.jsonl; each line has a document and the decoder's codes.
What the decoder takes the schema must take.  What only the decoder refuses must be a rule that a
schema cannot say: such a rule is listed in MAY_DIFFER, with the values it is about.
"""

import json
import sys

import jsonschema

MAY_DIFFER = {
    "GP1010": lambda text: "." in text or "e" in text,  # 2.0 and 1e3 are integers for a schema
    "GP1011": lambda text: '"' in text,  # bounds of sizes and durations
    "GP1013": lambda text: "0." in text,  # shares finer than a thousandth
    "GP1014": lambda text: True,  # control characters, "..", reserved variables
    "GP1017": lambda text: "null" in text,  # variables to be given when submitting
    "GP1018": lambda text: True,  # values that contradict each other
}


def differs(accepts, codes, text):
    if accepts == (not codes):
        return False
    if codes and accepts:
        return not all(MAY_DIFFER.get(code, lambda _: False)(text) for code in codes)
    return True


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    accepted = checked = 0
    differing = []
    with open(sys.argv[2], encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            text = json.dumps(row["document"])
            accepts = validator.is_valid(row["document"])
            checked += 1
            accepted += accepts
            if differs(accepts, row["codes"], text):
                differing.append(f"{text}: schema {accepts}, decoder {row['codes']}")
    print(f"{checked} documents, {accepted} valid by the schema, {len(differing)} judged otherwise")
    print("\n".join(differing[:40]))
    return 1 if differing or not accepted else 0


if __name__ == "__main__":
    sys.exit(main())
