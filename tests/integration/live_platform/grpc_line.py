"""The controller over gRPC, as a program with nothing but the .proto files uses it."""

import importlib
import pathlib
import subprocess
import sys
import tempfile

import grpc
from google.protobuf import json_format

PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto"


def load_service():
    """The descriptor of gpu_platform.v1.Control, from modules that protoc makes."""
    made = tempfile.mkdtemp(prefix="gp-proto-")
    files = sorted(str(file.relative_to(PROTO)) for file in PROTO.rglob("*.proto"))
    subprocess.run(["protoc", f"-I{PROTO}", f"--python_out={made}", *files], check=True)
    sys.path.insert(0, made)
    return importlib.import_module("gpu_platform.v1.control_pb2").DESCRIPTOR.services_by_name["Control"]


class GrpcLine:
    """Unary calls by name.  Requests and answers are documents with the fields' names as in the .proto files."""

    def __init__(self, service, address, secret):
        self.methods = service.methods_by_name
        self.channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)])
        self.metadata = (("authorization", f"Bearer {secret}"),)

    def message(self, method, fields):
        return json_format.ParseDict(fields, self.methods[method].input_type._concrete_class())

    def reply(self, method, document):
        """An answer of HTTP's as the message that it stands for."""
        return json_format.ParseDict(document, self.methods[method].output_type._concrete_class())

    def call(self, method, message, key=None):
        """(code, words, None), or ("", "", message).  `key`: the id of the request."""
        call = self.channel.unary_unary(f"/gpu_platform.v1.Control/{method}", type(message).SerializeToString,
                                        self.methods[method].output_type._concrete_class.FromString)
        try:
            return "", "", call(message, metadata=self.metadata + ((("idempotency-key", key),) if key else ()), timeout=60)
        except grpc.RpcError as error:
            return error.code().name, error.details(), None

    def stream(self, method, fields, timeout=60):
        """Messages until it ends; grpc.RpcError where it does not end well."""
        call = self.channel.unary_stream(f"/gpu_platform.v1.Control/{method}", self.methods[method].input_type._concrete_class.SerializeToString,
                                         self.methods[method].output_type._concrete_class.FromString)
        return call(self.message(method, fields), metadata=self.metadata, timeout=timeout)

    def close(self):
        self.channel.close()
