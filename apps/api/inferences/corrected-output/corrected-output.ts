import type { Json } from '#domain/json.js';
import { Reader } from '../../validation/reader.js';
import { askedOf, type CallInHistory } from './asked.js';
import { EncoderCheck } from './encoder-check.js';
import { checkGenerated } from './generated.js';
import { NewLabels } from './new-labels.js';

/**
 * Checks that a corrected output could have been the call's answer: its heads, labels and shapes are those that were asked for,
 * and its spans stand in the text. A head that is left out is not corrected; a label that is left out has no entities.
 * @param field of the body in which it came
 * @param newLabels names that the call did not ask for and that may stand in it all the same; `any` for whatever there is
 * @returns the names in it that the call did not ask for
 * @throws InvalidError naming what does not fit, a new label that is none among them
 */
export function checkCorrectedOutput(
  corrected: Json,
  call: CallInHistory,
  field: string,
  newLabels: readonly string[] | 'any' = [],
): readonly string[] {
  const reader = new Reader();
  const added = new NewLabels(newLabels);
  if (call.task === 'generate') checkGenerated(reader, corrected, call.output, [field]);
  else if (call.task === 'embed') reader.refuse([field], 'must be left out: vectors are not corrected', 'not_allowed');
  else new EncoderCheck(reader, askedOf(call), added).check(corrected, [field]);
  added.refuseUnused(reader, field);
  reader.done();
  return added.found;
}
