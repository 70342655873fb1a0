"""The OpenAPI document, as a judge of answers."""

import re

import jsonschema


class Contract:
    def __init__(self, document):
        self.document = document
        self.routes = []
        for path, methods in document["paths"].items():
            pattern = re.compile(re.sub(r"\\\{\w+\\\}", "[^/:]+", re.escape(path)))
            self.routes += [(method.upper(), pattern, operation) for method, operation in methods.items()]
        self.judged = set()
        self._validators = {}

    def judge(self, method, path, status, answer):
        """Fails the test where a JSON answer is none that the document allows."""
        for known, pattern, operation in self.routes:
            if known == method and pattern.fullmatch(path.split("?")[0]):
                self._validator(operation, method, path, status).validate(answer)
                self.judged.add(operation["operationId"])
                return
        assert status in (404, 405), f"{method} {path} is not in the contract, and was answered with {status}"

    def _validator(self, operation, method, path, status):
        known = self._validators.get((operation["operationId"], status))
        if known is None:
            responses = operation["responses"]
            assert str(status) in responses or status >= 400, f"{method} {path}: {status} is not in the contract"
            told = responses.get(str(status)) or self.document["components"]["responses"]["Problem"]
            (content,) = told["content"].values()
            known = jsonschema.Draft202012Validator({**content["schema"], "components": self.document["components"]})
            self._validators[(operation["operationId"], status)] = known
        return known
