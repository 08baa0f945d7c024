"""Certificates for tests, made by openssl, and the authorities that sign them."""

import os
import subprocess

EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


class Authority:
    """Signs certificates, as files in a folder."""

    def __init__(self, folder, name="authority"):
        self.folder, self.name = folder, name
        openssl("req", "-x509", *EC, "-subj", f"/CN={name}", "-days", "10", "-keyout", self.path(".key"), "-out", self.certificate)

    def path(self, end):
        return os.path.join(self.folder, self.name + end)

    @property
    def certificate(self):
        return self.path(".pem")

    def sign(self, name, hosts="DNS:localhost,IP:127.0.0.1", days=5, kind=EC):
        """A certificate for these hosts and its key, as paths."""
        certificate, key, request = (os.path.join(self.folder, name + end) for end in (".pem", ".key", ".csr"))
        openssl("req", *kind, "-subj", f"/CN={name}", "-keyout", key, "-out", request, "-addext", f"subjectAltName={hosts}")
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.path(".key"), "-CAcreateserial",
                "-days", str(days), "-copy_extensions", "copy", "-out", certificate)
        os.chmod(key, 0o600)
        return certificate, key
