import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('applications', '0009_history_in_every_language'),
    ]

    operations = [
        migrations.CreateModel(
            name='CaseClock',
            fields=[
                ('application', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='applications.application')),
                ('side', models.CharField(blank=True, choices=[('with_us', 'With us'), ('with_customer', 'With the customer'), ('with_registry', 'With the registry')], max_length=16)),
                ('since', models.DateTimeField(null=True)),
                ('came_on', models.DateField(null=True)),
                ('with_us', models.BigIntegerField(null=True)),
                ('with_customer', models.BigIntegerField(null=True)),
                ('with_registry', models.BigIntegerField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Form',
            fields=[
                ('product_id', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('name', models.TextField()),
                ('place', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='OpenDay',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
                ('with_us', models.IntegerField(default=0)),
                ('with_customer', models.IntegerField(default=0)),
                ('with_registry', models.IntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='CountingLock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
            options={'db_table': 'figures_turn'},
        ),
        migrations.CreateModel(
            name='TransitionTotal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('span', models.CharField(choices=[('week', 'week'), ('month', 'month')], max_length=8)),
                ('start', models.DateField()),
                ('submitted', models.IntegerField(default=0)),
                ('returned', models.IntegerField(default=0)),
                ('approved', models.IntegerField(default=0)),
                ('declined', models.IntegerField(default=0)),
                ('incorporated', models.IntegerField(default=0)),
                ('withdrawn', models.IntegerField(default=0)),
            ],
            options={
                'db_table': 'figures_deedtotal',
                'constraints': [models.UniqueConstraint(fields=('span', 'start'), name='one_deed_total')],
            },
        ),
        migrations.CreateModel(
            name='DurationTotal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('span', models.CharField(choices=[('week', 'week'), ('month', 'month')], max_length=8)),
                ('start', models.DateField()),
                ('bucket', models.PositiveSmallIntegerField()),
                ('with_us', models.IntegerField(default=0)),
                ('with_customer', models.IntegerField(default=0)),
                ('with_registry', models.IntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('span', 'start', 'bucket'), name='one_duration_total')],
            },
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('kind', models.CharField(max_length=16)),
                ('words', models.TextField()),
                ('form', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='figures.form')),
            ],
        ),
        migrations.CreateModel(
            name='ReasonTotal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('span', models.CharField(choices=[('week', 'week'), ('month', 'month')], max_length=8)),
                ('start', models.DateField()),
                ('reason', models.CharField(max_length=40)),
                ('returns', models.IntegerField(default=0)),
                ('remarks', models.IntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('span', 'start', 'reason'), name='one_reason_total')],
            },
        ),
        migrations.CreateModel(
            name='ClosingTotal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('span', models.CharField(choices=[('week', 'week'), ('month', 'month')], max_length=8)),
                ('start', models.DateField()),
                ('cases_with_us', models.IntegerField(default=0)),
                ('cases_with_customer', models.IntegerField(default=0)),
                ('cases_with_registry', models.IntegerField(default=0)),
                ('seconds_with_us', models.BigIntegerField(default=0)),
                ('seconds_with_customer', models.BigIntegerField(default=0)),
                ('seconds_with_registry', models.BigIntegerField(default=0)),
                ('form', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='figures.form')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('span', 'start', 'form'), name='one_closing_total')],
            },
        ),
        migrations.CreateModel(
            name='QuestionTotal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('span', models.CharField(choices=[('week', 'week'), ('month', 'month')], max_length=8)),
                ('start', models.DateField()),
                ('returns', models.IntegerField(default=0)),
                ('remarks', models.IntegerField(default=0)),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='figures.question')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('span', 'start', 'question'), name='one_question_total')],
            },
        ),
    ]
