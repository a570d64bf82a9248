"""Messages of the environment: a reply goes in, a message comes out."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field


class PlanetWarsAction(Action):
    """Reply of the player to move."""

    reply: str = Field(..., description='Lines such as "send 3 -> 7: 12", JSON such as [[3, 7, 12]], or "wait"')


class PlanetWarsObservation(Observation):
    """Message of a turn, and the counts of the parts of the last reply."""

    message: str = Field(
        default="", description="The position as the player sees it; the first one begins with the rules"
    )
    player: int = Field(default=1, description="The player that the message is for")
    asked: int = Field(default=0, description="Moves of the last reply that were well formed")
    legal: int = Field(default=0, description="Those of them that were carried out")
    malformed: int = Field(default=0, description="Parts of the last reply that were no moves")
