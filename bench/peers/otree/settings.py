"""An oTree project with one app, made to carry the same load as our server."""

SESSION_CONFIGS = [{"name": "trial", "app_sequence": ["trial"], "num_demo_participants": 1}]
SESSION_CONFIG_DEFAULTS = {"real_world_currency_per_point": 1.0, "participation_fee": 0.0, "doc": ""}
PARTICIPANT_FIELDS: list[str] = []
SESSION_FIELDS: list[str] = []
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "USD"
USE_POINTS = False
ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = None
DEMO_PAGE_INTRO_HTML = ""
SECRET_KEY = "for measuring only"
