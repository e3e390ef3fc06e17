import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("accounts", "0001_user"),
        ("accounts", "0002_language"),
        ("accounts", "0003_rights"),
        ("accounts", "0004_one_address"),
        ("accounts", "0005_permissions"),
        ("accounts", "0006_remove_rights"),
        ("accounts", "0007_workbench"),
        ("accounts", "0008_sessions_and_guesses"),
        ("accounts", "0009_rights_to_cases"),
        ("accounts", "0010_right_to_erase"),
        ("accounts", "0011_end_sessions"),
        ("accounts", "0012_bind_second_factors"),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='GuessCount',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('times', models.JSONField(default=list)),
                ('until', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                ('is_agent', models.BooleanField(default=False, help_text='May open the desk.', verbose_name='agent')),
                ('language', models.CharField(blank=True, default='', help_text='Letters are written in it.', max_length=8, verbose_name='language')),
                ('session_epoch', models.PositiveIntegerField(db_default=0, default=0, help_text='Raised to end all sessions of the account for good.', verbose_name='session epoch')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'permissions': (('own_cases', 'open the cases claimed by them, with documents and masked numbers'), ('all_cases', 'open every case, with documents and masked numbers'), ('review', 'claim cases, check facts and raise queries'), ('decide', 'approve, return and decline'), ('confirm', 'confirm another agent’s decision'), ('export', 'download records as JSON, PDF and CSV'), ('audit', 'read the audit log'), ('workbench', 'try out schemas at the workbench'), ('keys', 'make and revoke API keys'), ('erase', 'erase a person from an application')),
                'abstract': False,
            },
        ),
    ]
