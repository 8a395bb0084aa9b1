export {
  canonicalJson,
  readAdapterArtifact,
  readBaseArtifact,
  writeArtifact,
  type AdapterArtifact,
  type Artifact,
  type ArtifactDocuments,
  type BaseArtifact,
  type BaseReference,
  type LoadedArtifact,
  type ReadOptions,
  type TrainingFacts,
} from './artifact.js';
export { decodeSafetensors, encodeSafetensors, type Tensors } from './safetensors.js';
export { artifactVersion, engineName, featureVersion, tokenizerVersion, trainerVersion } from './versions.js';
