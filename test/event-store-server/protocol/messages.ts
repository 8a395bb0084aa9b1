import type * as GossipMessages from '@eventstore/db-client/generated/gossip_pb.js';
import type * as GossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type * as SharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import type * as StreamMessages from '@eventstore/db-client/generated/streams_pb.js';
import type * as StreamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const generated = <T>(name: string): T => require(`@eventstore/db-client/generated/${name}.js`) as T;

/** EventStoreDB's services and messages, from the definitions in the client's package. */
export const { StreamsService } = generated<typeof StreamServices>('streams_grpc_pb');
export const { GossipService } = generated<typeof GossipServices>('gossip_grpc_pb');
export const streams = generated<typeof StreamMessages>('streams_pb');
export const shared = generated<typeof SharedMessages>('shared_pb');
export const gossip = generated<typeof GossipMessages>('gossip_pb');

export type { GossipMessages, SharedMessages, StreamMessages };
