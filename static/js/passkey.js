/* Passkeys: a button asks the browser for one and posts the answer. Only on account pages with such a button. The first
   script of each page has tested for support, and shows or hides the parts that need it. */
(() => {
  "use strict";

  const api = window.PublicKeyCredential;
  if (!api) return;

  /* ---- Safari before 18.4 and Chrome before 129 neither read options from JSON nor write credentials as JSON. ---- */

  const toBytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const toText = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const withBytes = (credentials = []) => credentials.map((credential) => ({ ...credential, id: toBytes(credential.id) }));

  const requestOptions = (json) => {
    if (api.parseRequestOptionsFromJSON) return api.parseRequestOptionsFromJSON(json);
    const allowCredentials = withBytes(json.allowCredentials);
    return { ...json, challenge: toBytes(json.challenge), allowCredentials };
  };
  const creationOptions = (json) => {
    if (api.parseCreationOptionsFromJSON) return api.parseCreationOptionsFromJSON(json);
    const user = { ...json.user, id: toBytes(json.user.id) };
    return { ...json, challenge: toBytes(json.challenge), user, excludeCredentials: withBytes(json.excludeCredentials) };
  };
  const RESPONSE = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const toJson = (credential) => {
    if (credential.toJSON) return credential.toJSON();
    const { id, rawId, type, response } = credential;
    const fields = RESPONSE.filter((name) => response[name]).map((name) => [name, toText(response[name])]);
    const clientExtensionResults = credential.getClientExtensionResults();
    return { id, rawId: toText(rawId), type, response: Object.fromEntries(fields), clientExtensionResults };
  };

  /* The options are in the page, or come from the form's address. */
  const optionsFor = async (form) => {
    const inPage = document.getElementById("js_data");
    if (inPage) return JSON.parse(inPage.textContent);
    const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
    return answer.json();
  };

  const ask = async (form) => {
    const { creation_options: creation, request_options: request } = await optionsFor(form);
    if (request) {
      return navigator.credentials.get({ publicKey: requestOptions(request.publicKey) });
    }
    const { publicKey } = creation;
    /* A passkey can sign in without a password only if the device stores it and verifies the person. */
    const isPasswordless = form.elements.passwordless?.checked;
    publicKey.authenticatorSelection = {
      ...publicKey.authenticatorSelection,
      residentKey: isPasswordless ? "required" : "discouraged",
      requireResidentKey: Boolean(isPasswordless),
      ...(isPasswordless && { userVerification: "required" }),
    };
    return navigator.credentials.create({ publicKey: creationOptions(publicKey) });
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-passkey]");
    if (!button) return;
    event.preventDefault();
    const { form } = button;
    const error = form.querySelector("[data-passkey-error]");
    error.hidden = true;
    try {
      form.elements.credential.value = JSON.stringify(toJson(await ask(form)));
      form.submit();
    } catch {
      /* Cancelled, or no passkey fits. */
      error.hidden = false;
      error.focus();
    }
  });
})();
