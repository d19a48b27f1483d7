"""What a policy's network makes of a picture."""

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from suites.est.hypotheses import OBJECTS
from suites.est.learners.vec_env import HEIGHT, WIDTH

_FEATURES = 512


class PictureFeatures(BaseFeaturesExtractor):
    """The convolutions of Mnih et al. 2015 over a flat picture, and the last belief behind them as it is."""

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, _FEATURES + OBJECTS)
        convolutions = [
            *(nn.Conv2d(3, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU()),
            *(nn.Conv2d(64, 64, 3, 1), nn.ReLU(), nn.Flatten()),
        ]
        self._convolutions = nn.Sequential(*convolutions)
        flat = self._convolutions(torch.zeros(1, 3, HEIGHT, WIDTH)).shape[1]
        self._linear = nn.Sequential(nn.Linear(flat, _FEATURES), nn.ReLU())

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Features (batch, 521) of observations (batch, WIDTH * HEIGHT * 3 + 9), from 0 to 255."""
        scaled = observations / 255
        pictures = scaled[:, :-OBJECTS].reshape(-1, HEIGHT, WIDTH, 3).permute(0, 3, 1, 2)
        return torch.cat([self._linear(self._convolutions(pictures)), scaled[:, -OBJECTS:]], dim=1)
