/* Passkeys: a button asks the browser for one, and posts what it says. On the pages of accounts that have such a button
   alone. The first script of each page has found out if the browser can do it, and shows or hides what needs it. */
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
    const held = RESPONSE.filter((name) => response[name]).map((name) => [name, toText(response[name])]);
    const clientExtensionResults = credential.getClientExtensionResults();
    return { id, rawId: toText(rawId), type, response: Object.fromEntries(held), clientExtensionResults };
  };

  /* The options stand in the page, or come from where the form goes to. */
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
    /* Only a passkey that the device keeps, and asks for a finger or a PIN, signs in by itself. */
    const alone = form.elements.passwordless?.checked;
    publicKey.authenticatorSelection = {
      ...publicKey.authenticatorSelection,
      residentKey: alone ? "required" : "discouraged",
      requireResidentKey: Boolean(alone),
      ...(alone && { userVerification: "required" }),
    };
    return navigator.credentials.create({ publicKey: creationOptions(publicKey) });
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-passkey]");
    if (!button) return;
    event.preventDefault();
    const { form } = button;
    const said = form.querySelector("[data-passkey-error]");
    said.hidden = true;
    try {
      form.elements.credential.value = JSON.stringify(toJson(await ask(form)));
      form.submit();
    } catch {
      /* Given up, or none that fits. */
      said.hidden = false;
      said.focus();
    }
  });
})();
