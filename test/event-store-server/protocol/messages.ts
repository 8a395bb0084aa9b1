import type * as FeatureMessages from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type * as FeatureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type * as GossipMessages from '@eventstore/db-client/generated/gossip_pb.js';
import type * as GossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type * as SharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import type * as StatusMessages from '@eventstore/db-client/generated/status_pb.js';
import type * as StreamMessages from '@eventstore/db-client/generated/streams_pb.js';
import type * as StreamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as AnyMessages from 'google-protobuf/google/protobuf/any_pb.js';
import type * as EmptyMessages from 'google-protobuf/google/protobuf/empty_pb.js';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
// The client's own copy of what it was generated with: a message of another copy is not one of its classes.
const requireOfClient = createRequire(require.resolve('@eventstore/db-client'));
const generated = <T>(name: string): T => require(`@eventstore/db-client/generated/${name}.js`) as T;
const google = <T>(name: string): T => requireOfClient(`google-protobuf/google/protobuf/${name}.js`) as T;

/** EventStoreDB's services and messages, from the definitions in the client's package. */
export const { StreamsService } = generated<typeof StreamServices>('streams_grpc_pb');
export const { ServerFeaturesService } = generated<typeof FeatureServices>('serverfeatures_grpc_pb');
export const { GossipService } = generated<typeof GossipServices>('gossip_grpc_pb');
export const streams = generated<typeof StreamMessages>('streams_pb');
export const shared = generated<typeof SharedMessages>('shared_pb');
export const features = generated<typeof FeatureMessages>('serverfeatures_pb');
export const gossip = generated<typeof GossipMessages>('gossip_pb');
export const rpcStatus = generated<typeof StatusMessages>('status_pb');
export const { Any } = google<typeof AnyMessages>('any_pb');
export const { Empty } = google<typeof EmptyMessages>('empty_pb');

export type { FeatureMessages, GossipMessages, SharedMessages, StatusMessages, StreamMessages };
