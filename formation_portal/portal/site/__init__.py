"""What belongs to no application: help, language, session, e-mails of the demo, the gallery, the service's webhook."""
