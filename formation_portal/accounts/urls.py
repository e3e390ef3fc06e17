"""The URLs of accounts: the portal's own views, then allauth's."""

from django.urls import include, path

from . import views

urlpatterns = [
    path("login/", views.SignIn.as_view(), name="account_login"),
    path("signup/", views.SignUp.as_view(), name="account_signup"),
    path("email/", views.ChangeAddress.as_view(), name="account_email"),
    path("confirm-email/<str:key>/", views.ConfirmEmail.as_view(), name="account_confirm_email"),
    path("confirmation/", views.confirmation, name="confirmation"),
    path("reauthenticate/", views.ConfirmPassword.as_view(), name="account_reauthenticate"),
    path("password/change/", views.ChangePassword.as_view(), name="account_change_password"),
    path("password/set/", views.SetPassword.as_view(), name="account_set_password"),
    path("password/reset/", views.ResetPassword.as_view(), name="account_reset_password"),
    path("2fa/authenticate/", views.UseSecondFactor.as_view(), name="mfa_authenticate"),
    path("2fa/reauthenticate/", views.ConfirmCode.as_view(), name="mfa_reauthenticate"),
    path("2fa/totp/activate/", views.AddApp.as_view(), name="mfa_activate_totp"),
    path("2fa/totp/deactivate/", views.RemoveApp.as_view(), name="mfa_deactivate_totp"),
    path("2fa/recovery-codes/", views.ShowRecoveryCodes.as_view(), name="mfa_view_recovery_codes"),
    path("2fa/recovery-codes/download/", views.DownloadRecoveryCodes.as_view(), name="mfa_download_recovery_codes"),
    path("2fa/recovery-codes/generate/", views.MakeRecoveryCodes.as_view(), name="mfa_generate_recovery_codes"),
    path("2fa/webauthn/add/", views.AddPasskey.as_view(), name="mfa_add_webauthn"),
    path("2fa/webauthn/keys/<int:pk>/remove/", views.RemovePasskey.as_view(), name="mfa_remove_webauthn"),
    path("sessions/", views.sessions, name="usersessions_list"),
    path("", include("allauth.urls")),
]
