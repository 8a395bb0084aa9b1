from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """An answer of the API. Fields that this version of the client does not know are kept, too."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())
