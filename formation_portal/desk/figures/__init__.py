"""The desk's figures: tables with small pictures, each as CSV too. `formation_portal.figures` keeps what they count."""
