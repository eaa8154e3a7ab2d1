"""Where models answer, and how HELM's files describe one of the user's own."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from helm_structext.baselines import require_model_name
from helm_structext.errors import SetupError

LOCAL_URL = "http://localhost:8000/v1"
"""Where `transformers serve` answers, and vLLM."""


@dataclass(frozen=True)
class Api:
    """A protocol in which models are asked, and HELM's client for it.

    Args:
        client: HELM's class.
        model_argument: what the class calls the name by which the server knows the model.
        extra: of crfm-helm, which has what the client needs.
        module: one that comes with the extra.
        has_key: whether the server asks for a key.
        anywhere: whether the server may be another than the provider's own.
    """

    client: str
    model_argument: str
    extra: str
    module: str
    has_key: bool = True
    anywhere: bool = False


APIS = {
    "server": Api(
        "helm.clients.vllm_client.VLLMChatClient",
        "vllm_model_name",
        "openai",
        "openai",
        has_key=False,
        anywhere=True,
    ),
    "openai": Api(
        "helm.clients.openai_client.OpenAIClient",
        "openai_model_name",
        "openai",
        "openai",
        anywhere=True,
    ),
    "anthropic": Api(
        "helm.clients.anthropic_client.AnthropicMessagesClient",
        "anthropic_model_name",
        "anthropic",
        "anthropic",
    ),
    "google": Api(
        "helm.clients.google_genai_client.GoogleGenAIClient",
        "genai_model",
        "google",
        "google.genai",
    ),
    "together": Api(
        "helm.clients.together_client.TogetherChatClient", "together_model", "together", "together"
    ),
}
"""Name to protocol; ``server`` is OpenAI's protocol on a server that asks for no key."""

DESCRIPTION = "Added by helm-structext; the server knows it as "
"""What the description of a model begins with that nobody has changed."""

TEXT_TAGS = ("TEXT_MODEL_TAG", "INSTRUCTION_FOLLOWING_MODEL_TAG")
PICTURE_TAGS = ("VISION_LANGUAGE_MODEL_TAG", "FULL_FUNCTIONALITY_VLM_TAG")


@dataclass(frozen=True)
class HostedModel:
    """A model of the user's, and where it answers.

    Args:
        name: HELM's name for it, ``me/my-vlm``.
        api: a key of `APIS`.
        served_as: the name by which the server knows it; by default what follows the slash.
        base_url: of the server; None is the provider's own.
        reads_pictures: whether it is a vision-language model.

    Raises:
        SetupError: the name is not of the form that HELM needs, the URL is none, or the protocol is one
            provider's.

    >>> HostedModel("my-vlm", "openai")
    Traceback (most recent call last):
    helm_structext.errors.SetupError: 'my-vlm' is no model name for HELM; write it as me/my-vlm
    """

    name: str
    api: str
    served_as: str | None = None
    base_url: str | None = None
    reads_pictures: bool = True

    def __post_init__(self) -> None:
        require_model_name(self.name)
        if self.base_url and not APIS[self.api].anywhere:
            raise SetupError(f"HELM asks {self.api} at its own address only; leave the URL out")
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            raise SetupError(
                f"{self.base_url} is no URL; write it as {LOCAL_URL}, with http:// or https://"
            )

    @property
    def maker(self) -> str:
        return self.name.partition("/")[0]

    @property
    def engine(self) -> str:
        return self.name.partition("/")[2]

    @property
    def host(self) -> str:
        """Whose key HELM sends: the provider's only to the provider."""
        return self.api if self.base_url is None else self.maker

    @property
    def key(self) -> str | None:
        """The name of the key in `credentials.conf`, if one is needed.

        >>> HostedModel("me/big", "anthropic").key
        'anthropicApiKey'
        >>> HostedModel("me/big", "openai", base_url="https://example.org/v1").key
        'meApiKey'
        """
        return f"{self.host}ApiKey" if APIS[self.api].has_key else None

    def metadata(self) -> dict[str, Any]:
        """Returns the entry of `model_metadata.yaml`."""
        return {
            "name": self.name,
            "display_name": self.engine,
            "description": f"{DESCRIPTION}{self._served_as}.",
            "creator_organization_name": self.maker,
            "access": "open" if self.api == "server" else "limited",
            "release_date": date.today(),
            "tags": [*TEXT_TAGS, *(PICTURE_TAGS if self.reads_pictures else ())],
        }

    def deployment(self) -> dict[str, Any]:
        """Returns the entry of `model_deployments.yaml`.

        >>> HostedModel("me/my-vlm", "server", base_url=LOCAL_URL).deployment()["client_spec"]["args"]
        {'vllm_model_name': 'my-vlm', 'base_url': 'http://localhost:8000/v1'}
        """
        api = APIS[self.api]
        where = {} if self.base_url is None else {"base_url": self.base_url}
        return {
            "name": f"{self.host}/{self.engine}",
            "model_name": self.name,
            "client_spec": {
                "class_name": api.client,
                "args": {api.model_argument: self._served_as, **where},
            },
        }

    @property
    def _served_as(self) -> str:
        return self.served_as or self.engine
