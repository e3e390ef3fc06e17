"""A passkey in software: registers at the portal and answers its challenges, as a browser's device would."""

import hashlib
import json
from secrets import token_bytes
from typing import Any

from allauth.account.utils import user_pk_to_url_str
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from fido2.cose import ES256
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorData,
    CollectedClientData,
    RegistrationResponse,
)

from formation_portal.accounts.models import User

ADD = "/accounts/2fa/webauthn/add/"
USE = "/accounts/2fa/webauthn/reauthenticate/"
SIGN_IN = "/accounts/2fa/webauthn/login/"
# A device that was only touched, and one that has asked for a finger, a face or a PIN as well.
TOUCHED = AuthenticatorData.FLAG.UP
VERIFIED = TOUCHED | AuthenticatorData.FLAG.UV
_SITE = "testserver"


class Passkey:
    """One key pair of one device."""

    def __init__(self) -> None:
        self.id = token_bytes(16)
        self.key = ec.generate_private_key(ec.SECP256R1())

    def register(self, client: Client, name: str) -> Any:
        """Add the passkey to the account that is signed in."""
        options = client.get(ADD).context["js_data"]["creation_options"]
        client_data = self._client_data(options, "webauthn.create")
        public = AttestedCredentialData.create(bytes(16), self.id, ES256.from_cryptography_key(self.key.public_key()))
        data = self._data(VERIFIED | AuthenticatorData.FLAG.AT, public)
        attestation = AttestationObject.create("none", data, {})
        response = AuthenticatorAttestationResponse(client_data=client_data, attestation_object=attestation)
        credential = RegistrationResponse(raw_id=self.id, response=response)
        return client.post(ADD, {"name": name, "credential": json.dumps(dict(credential))})

    def reauthenticate(self, client: Client, following: str) -> Any:
        """Use the passkey in a session, which then goes on to `following`."""
        options = client.get(USE).context["js_data"]["request_options"]
        return client.post(USE, {"credential": self.answer(options), "next": following})

    def sign_in(self, client: Client, user: User, flags: AuthenticatorData.FLAG = VERIFIED) -> Any:
        """Sign in to the account by the passkey alone."""
        options = client.get(SIGN_IN, headers={"Accept": "application/json"}).json()["request_options"]
        return client.post(SIGN_IN, {"credential": self.answer(options, user, flags)})

    def answer(
        self, options: dict[str, Any], user: User | None = None, flags: AuthenticatorData.FLAG = VERIFIED
    ) -> str:
        """Answer a challenge. The account in the answer is not signed: anybody can write it there."""
        client_data, data = self._client_data(options, "webauthn.get"), self._data(flags)
        holder = user_pk_to_url_str(user).encode() if user else None
        signature = self.key.sign(bytes(data) + client_data.hash, ec.ECDSA(hashes.SHA256()))
        response = AuthenticatorAssertionResponse(
            client_data=client_data, authenticator_data=data, signature=signature, user_handle=holder
        )
        return json.dumps(dict(AuthenticationResponse(raw_id=self.id, response=response)))

    @staticmethod
    def _client_data(options: dict[str, Any], purpose: str) -> CollectedClientData:
        return CollectedClientData.create(purpose, options["publicKey"]["challenge"], f"https://{_SITE}")

    @staticmethod
    def _data(flags: AuthenticatorData.FLAG, public: bytes = b"") -> AuthenticatorData:
        return AuthenticatorData.create(hashlib.sha256(_SITE.encode()).digest(), flags, 1, public)
