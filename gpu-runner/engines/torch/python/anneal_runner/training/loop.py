"""Epochs, steps and checkpoints of a training, whatever it is that learns."""

import math
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Generic

import torch

from ..adapters import Tensors
from ..errors import RunnerError
from ..machine import autocast, compute_dtype, name_of
from .context import TrainContext
from .objective import Item, Objective
from .schedule import learning_rate_factor
from .settings import LoopSettings
from .state import Progress, read_state, write_state
from .step import StepRunner

MAX_GRADIENT_NORM = 1.0


class Trainee(ABC, Generic[Item]):
    """A model that learns from its items (rows, or packs of rows), and how its weights are stored."""

    model: Any
    """A torch module."""
    objective: Objective[Item, Any]
    validation: list[Item]
    fingerprint: str
    """Hash of all that decides the result: a checkpoint of another fingerprint is refused."""
    part_size: int
    """Maximum items that share a batch."""

    @abstractmethod
    def epoch_items(self, epoch: int) -> list[Item]:
        """Returns the training items of one epoch (from 0), in its seeded order."""

    @abstractmethod
    def tensors(self) -> Tensors:
        """Returns copies of the weights that are trained, on the CPU."""

    @abstractmethod
    def set_tensors(self, tensors: Tensors) -> None:
        """Replaces the weights that are trained. Raises RunnerError (artifact) when they are of another shape."""

    @abstractmethod
    def read(self, directory: Path) -> Tensors:
        """Returns the weights of an artifact. Raises RunnerError (artifact) when it is damaged, or of another base."""

    @abstractmethod
    def write(self, directory: Path, tensors: Tensors) -> None:
        """Writes a servable artifact. The same weights give the same bytes."""

    def parameter_groups(self, learning_rate: float) -> list[dict[str, Any]]:
        """Returns the trained parameters with their peak learning rates, as an optimiser takes them."""
        return [{"params": [parameter for parameter in self.model.parameters() if parameter.requires_grad], "lr": learning_rate}]

    def after_epoch(self, epoch: int, step: int) -> dict[str, object]:
        """Does what the end of an epoch (from 1) needs. Returns fields for its reports."""
        return {}

    def metrics(self, best_loss: float | None) -> dict[str, object]:
        """Returns the figures of `trained` besides the losses."""
        return {}

    def after_training(self, directory: Path) -> dict[str, object]:
        """Does what the end needs, with the best weights in place and in `directory`. Returns fields for `trained`."""
        return {}


class Loop(Generic[Item]):
    """Trains until done, early or cancelled, and reports it. A checkpoint leads to the same curve and the same files."""

    def __init__(
        self, trainee: Trainee[Item], settings: LoopSettings, context: TrainContext, output: Path, resume_from: Path | None
    ) -> None:
        self._trainee = trainee
        self._settings = settings
        self._context = context
        self._output = output
        groups = trainee.parameter_groups(settings.learning_rate)
        self._peaks = [float(group["lr"]) for group in groups]
        self._parameters = [parameter for group in groups for parameter in group["params"]]
        self._optimizer = torch.optim.AdamW(groups, weight_decay=settings.weight_decay, fused=True)
        self._epochs = [trainee.epoch_items(epoch) for epoch in range(settings.epochs)]
        self._steps_before = [0]
        for items in self._epochs:
            self._steps_before.append(self._steps_before[-1] + math.ceil(len(items) / settings.batch_size))
        self._progress = Progress(trainee.fingerprint, part_size=trainee.part_size)
        self._best: Tensors | None = None
        if resume_from is not None:
            self._resume(resume_from)
        self._steps = StepRunner(
            objective=trainee.objective,
            zero_gradients=lambda: self._optimizer.zero_grad(set_to_none=True),
            part_size=self._progress.part_size,
            autocast=lambda: autocast(context.device),
            claim=context.claim,
            log=context.log,
        )

    def run(self) -> None:
        """Runs the training. Raises RunnerError, or Cancelled once the runner has cancelled."""
        progress, settings, trainee = self._progress, self._settings, self._trainee
        device = self._context.device
        dtype, count = str(compute_dtype(device)).removeprefix("torch."), sum(each.numel() for each in self._parameters)
        repeatable = "" if torch.are_deterministic_algorithms_enabled() else ", not repeatable to the byte"
        self._context.log("info", f"Training {count:,} parameters on {name_of(device)} in {dtype}{repeatable}")
        while progress.epoch < settings.epochs and not self._stopped_early():
            self._run_epoch()
        if self._best is not None:
            trainee.set_tensors(self._best)
        if not self._context.ranks.is_first:
            return
        final = self._output / "final"
        trainee.write(final, self._best or trainee.tensors())
        self._context.report(
            "trained",
            directory=str(final),
            epochsRun=progress.epoch,
            metrics={
                "finalTrainingLoss": progress.training_loss,
                "finalValidationLoss": progress.validation_loss,
                "bestValidationLoss": progress.best_loss,
                **trainee.metrics(progress.best_loss),
            },
            **trainee.after_training(final),
        )

    def _run_epoch(self) -> None:
        progress, settings = self._progress, self._settings
        items = self._epochs[progress.epoch]
        steps = self._steps_before[progress.epoch + 1] - self._steps_before[progress.epoch]
        self._trainee.model.train()
        while progress.epoch_step < steps:
            at = progress.epoch_step * settings.batch_size
            self._step(items[at : at + settings.batch_size])
            fraction = progress.step / self._steps_before[-1]
            self._context.report("progress", fraction=fraction, epoch=progress.epoch + 1, step=progress.step)
            is_due = settings.save_steps > 0 and progress.step % settings.save_steps == 0
            if is_due and progress.epoch_step < steps:
                self._write_checkpoint(None, is_best=False, is_final=False, fields={})
        self._end_epoch()

    def _step(self, items: list[Item]) -> None:
        progress, settings = self._progress, self._settings
        factor = learning_rate_factor(settings.scheduler, progress.step, self._steps_before[-1], settings.warmup_ratio)
        for group, peak in zip(self._optimizer.param_groups, self._peaks, strict=True):
            group["lr"] = peak * factor
        ranks = self._context.ranks
        ranks.begin_step(settings.seed, progress.step)
        own_loss, own_weight = self._steps.gradients(ranks.share(items))
        loss, weight = ranks.sums(own_loss, own_weight)
        ranks.mean_gradients(self._parameters, own_weight / weight)
        if not math.isfinite(loss):
            raise RunnerError("training", "The loss is no longer a number: lower the learning rate")
        torch.nn.utils.clip_grad_norm_(self._parameters, MAX_GRADIENT_NORM, foreach=True)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        progress.part_size = self._steps.part_size
        progress.step += 1
        progress.epoch_step += 1
        progress.epoch_loss += loss
        progress.epoch_weight += round(weight)

    def _end_epoch(self) -> None:
        progress, settings = self._progress, self._settings
        progress.training_loss = progress.epoch_loss / progress.epoch_weight
        progress.epoch_loss, progress.epoch_weight, progress.epoch_step = 0.0, 0, 0
        progress.epoch += 1
        self._trainee.model.eval()
        progress.validation_loss = self._validate()
        is_best = self._is_best()
        if is_best:
            self._best = self._trainee.tensors()
        fields = self._trainee.after_epoch(progress.epoch, progress.step) if self._context.ranks.is_first else {}
        self._context.report(
            "epoch",
            epoch=progress.epoch,
            epochs=settings.epochs,
            step=progress.step,
            trainingLoss=progress.training_loss,
            validationLoss=progress.validation_loss,
            learningRate=self._learning_rate(),
            **fields,
        )
        is_final = progress.epoch == settings.epochs or self._stopped_early()
        if is_final and progress.epoch < settings.epochs:
            worse = progress.worse_epochs
            self._context.log("info", f"Stopped early: no better validation loss in {worse} epochs")
        self._write_checkpoint(progress.validation_loss, is_best, is_final, fields)

    def _validate(self) -> float | None:
        if not self._trainee.validation:
            return None
        ranks = self._context.ranks
        loss, weight = ranks.sums(*self._steps.losses(ranks.share(self._trainee.validation)))
        self._progress.part_size = self._steps.part_size
        return loss / weight

    def _is_best(self) -> bool:
        """Updates which epoch is the best. Without validation rows it is the last."""
        progress = self._progress
        loss, best = progress.validation_loss, progress.best_loss
        if loss is None or best is None or loss < best:
            progress.best_loss, progress.best_epoch, progress.worse_epochs = loss, progress.epoch, 0
            return True
        progress.worse_epochs += 1
        return False

    def _stopped_early(self) -> bool:
        patience = self._settings.early_stopping_patience
        return 0 < patience <= self._progress.worse_epochs

    def _write_checkpoint(self, validation_loss: float | None, is_best: bool, is_final: bool, fields: dict[str, object]) -> None:
        progress = self._progress
        if not self._context.ranks.is_first:
            return
        directory = self._output / f"checkpoint-{progress.step}"
        self._trainee.write(directory, self._trainee.tensors())
        write_state(directory, progress, self._optimizer, None if is_best else self._best)
        self._context.checkpoint(
            directory=str(directory),
            epoch=max(1, progress.epoch if progress.epoch_step == 0 else progress.epoch + 1),
            step=progress.step,
            trainingLoss=progress.training_loss if progress.epoch_weight == 0 else progress.epoch_loss / progress.epoch_weight,
            validationLoss=validation_loss,
            learningRate=self._learning_rate(),
            isBest=is_best,
            isFinal=is_final,
            **fields,
        )

    def _resume(self, directory: Path) -> None:
        self._trainee.set_tensors(self._trainee.read(directory))
        self._progress, self._best = read_state(directory, self._optimizer, self._progress.fingerprint)
        if self._best is None and self._progress.best_epoch > 0:
            self._best = self._trainee.tensors()

    def _learning_rate(self) -> float:
        return float(self._optimizer.param_groups[0]["lr"])
