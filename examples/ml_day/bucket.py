"""What the ML day needs of S3: requests that are signed with AWS's signature, version 4."""
import hashlib
import hmac
import time
import urllib.parse
import urllib.request
from xml.etree import ElementTree

REGION = "us-east-1"


class Store:
    def __init__(self, endpoint, access_key, secret_key):
        self._endpoint, self._access_key, self._secret_key = endpoint, access_key, secret_key

    def make_bucket(self, bucket):
        self._request("PUT", f"/{bucket}")

    def put(self, bucket, name, content):
        self._request("PUT", f"/{bucket}/{name}", content)

    def get(self, bucket, name):
        return self._request("GET", f"/{bucket}/{name}")

    def names(self, bucket, prefix=""):
        """Of at most a thousand objects."""
        query = urllib.parse.urlencode({"list-type": "2", "prefix": prefix}, quote_via=urllib.parse.quote, safe="")
        answer = ElementTree.fromstring(self._request("GET", f"/{bucket}", query=query))
        return [element.text for element in answer.iter() if element.tag.rpartition("}")[2] == "Key"]

    def _request(self, method, path, body=b"", query=""):
        """REQUIRES: the query's names are in their order."""
        path = urllib.parse.quote(path)
        date, digest = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()), hashlib.sha256(body).hexdigest()
        headers = {"host": urllib.parse.urlsplit(self._endpoint).netloc, "x-amz-content-sha256": digest, "x-amz-date": date}
        signed, scope = ";".join(headers), f"{date[:8]}/{REGION}/s3/aws4_request"
        lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
        canonical = "\n".join([method, path, query, lines, signed, digest])
        key = f"AWS4{self._secret_key}".encode()
        for word in [*scope.split("/"), f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"]:
            key = hmac.digest(key, word.encode(), "sha256")
        headers["authorization"] = f"AWS4-HMAC-SHA256 Credential={self._access_key}/{scope}, SignedHeaders={signed}, Signature={key.hex()}"
        request = urllib.request.Request(f"{self._endpoint}{path}{'?' * bool(query)}{query}", body or None, headers, method=method)
        with DIRECT.open(request, timeout=30) as answer:
            return answer.read()


DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the store is on this host
