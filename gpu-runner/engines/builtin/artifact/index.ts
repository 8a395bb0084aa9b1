export {
  adapterBase,
  canonicalJson,
  readAdapterArtifact,
  readBaseArtifact,
  writeArtifact,
  type AdapterArtifact,
  type BaseArtifact,
  type BaseReference,
  type LoadedArtifact,
} from './artifact.js';
export { LEARNED_TEXTS, SideFile, TRAINING_ROWS } from './side-file.js';
export { decodeSafetensors, encodeSafetensors } from './safetensors.js';
export { ARTIFACT_VERSION, ENGINE_NAME, TRAINER_VERSION } from './versions.js';
