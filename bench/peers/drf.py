"""An idiomatic Django REST framework server: models, serializers, a viewset and the same key check."""
import hashlib
import os

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="bench",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["rest_framework", __name__],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["BENCH_DATABASE"], "CONN_MAX_AGE": None}},
    REST_FRAMEWORK={"UNAUTHENTICATED_USER": None, "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import models  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework import authentication, exceptions, pagination, routers, serializers, viewsets  # noqa: E402


class User(models.Model):
    is_active = models.IntegerField()

    class Meta:
        app_label, db_table, managed = __name__, "users", False

    is_authenticated = True


class ApiKey(models.Model):
    id = models.TextField(primary_key=True)
    user = models.ForeignKey(User, models.CASCADE)
    value_hash = models.TextField()
    scopes = models.TextField()
    expires_at = models.TextField(null=True)

    class Meta:
        app_label, db_table, managed = __name__, "api_keys", False


class Organization(models.Model):
    id = models.TextField(primary_key=True)
    name = models.TextField()
    slug = models.TextField()
    created_at = models.TextField()
    updated_at = models.TextField()
    plugins_access_level = models.IntegerField()
    is_member_join_email_enabled = models.BooleanField()
    enforce_2fa = models.BooleanField(null=True)
    customer_id = models.TextField(null=True)
    member_count = models.IntegerField()

    class Meta:
        app_label, db_table, managed = __name__, "organizations", False


class Member(models.Model):
    id = models.TextField(primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE)
    level = models.IntegerField()

    class Meta:
        app_label, db_table, managed = __name__, "members", False


class Project(models.Model):
    uuid = models.TextField()
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="teams")
    api_token = models.TextField()
    name = models.TextField()
    timezone = models.TextField()
    ingested_event = models.BooleanField()

    class Meta:
        app_label, db_table, managed = __name__, "projects", False


class Bearer(authentication.BaseAuthentication):
    def authenticate(self, request):
        scheme, _, value = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        found = (
            ApiKey.objects.select_related("user")
            .filter(value_hash=hashlib.sha256(value.strip().encode()).hexdigest(), user__is_active=1)
            .first()
        )
        if scheme.lower() != "bearer" or found is None:
            raise exceptions.AuthenticationFailed()
        return found.user, found

    def authenticate_header(self, request):
        return "Bearer"


class TeamSerializer(serializers.ModelSerializer):
    completed_snippet_onboarding = serializers.SerializerMethodField()
    has_completed_onboarding_for = serializers.SerializerMethodField()
    is_demo = serializers.SerializerMethodField()
    access_control = serializers.SerializerMethodField()

    class Meta:
        model = Project
        fields = [
            "id", "uuid", "organization", "api_token", "name", "timezone", "completed_snippet_onboarding",
            "has_completed_onboarding_for", "ingested_event", "is_demo", "access_control",
        ]

    def get_completed_snippet_onboarding(self, _):
        return False

    def get_has_completed_onboarding_for(self, _):
        return None

    get_is_demo = get_access_control = get_completed_snippet_onboarding


class OrganizationSerializer(serializers.ModelSerializer):
    membership_level = serializers.SerializerMethodField()
    teams = TeamSerializer(many=True)
    available_product_features = serializers.SerializerMethodField()
    metadata = serializers.SerializerMethodField()
    member_count = serializers.CharField()

    class Meta:
        model = Organization
        fields = [
            "id", "name", "slug", "created_at", "updated_at", "membership_level", "plugins_access_level", "teams",
            "available_product_features", "is_member_join_email_enabled", "metadata", "customer_id", "enforce_2fa",
            "member_count",
        ]

    def get_membership_level(self, organization):
        return next(member.level for member in organization.members.all())

    def get_available_product_features(self, _):
        return []

    def get_metadata(self, _):
        return '{"instance_tag":"none"}'


class Pages(pagination.LimitOffsetPagination):
    default_limit = 100


class OrganizationViewSet(viewsets.ReadOnlyModelViewSet):
    authentication_classes = [Bearer]
    serializer_class = OrganizationSerializer
    pagination_class = Pages

    def get_queryset(self):
        return (
            Organization.objects.filter(members__user_id=self.request.user.id)
            .prefetch_related(
                models.Prefetch("members", Member.objects.filter(user_id=self.request.user.id)), "teams"
            )
            .order_by("created_at", "id")
        )


router = routers.SimpleRouter()
router.register("organizations", OrganizationViewSet, basename="organization")
urlpatterns = [path("api/", include(router.urls))]
application = get_wsgi_application()
