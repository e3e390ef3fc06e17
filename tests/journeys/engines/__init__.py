"""The portal in the engines of Safari and Firefox: WebKitGTK and Firefox ESR."""
