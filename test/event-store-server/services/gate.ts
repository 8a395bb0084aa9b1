import type { Metadata, ServiceError, UntypedHandleCall } from '@grpc/grpc-js';
import { accessDenied, notLeader, unauthenticated, unavailable } from '../protocol/errors.js';
import type { ServiceContext } from './context.js';

interface AnyCall {
  readonly metadata: Metadata;
  emit(event: 'error', error: Error): void;
}

type AnyHandler = (call: AnyCall, callback?: (error: ServiceError) => void) => void;

/**
 * The handlers, behind what holds for every call: silence, refused access, and that only a leader decides. What a client asks
 * before it has said who it is, anybody may call.
 */
export function gated<Handlers extends Record<string, UntypedHandleCall>>(
  { control, users }: ServiceContext,
  handlers: Handlers,
  access: 'anybody' | 'users',
): Handlers {
  const refusalOf = ({ metadata }: AnyCall): ServiceError | null => {
    if (control.notReady) {
      control.emit('asked');
      return unavailable('Server Is Not Ready');
    }
    if (access === 'anybody') return null;
    if (control.denyAccess) return accessDenied();
    if (users && !isKnown(users, metadata)) return unauthenticated();
    const requiresLeader = metadata.get('requires-leader')[0] === 'true';
    return control.leader && requiresLeader ? notLeader(control.leader) : null;
  };
  const entries = Object.entries(handlers).map(([name, handler]) => {
    const handle: AnyHandler = (call, callback) => {
      if (control.silent) return;
      const refusal = refusalOf(call);
      if (!refusal) (handler as unknown as AnyHandler)(call, callback);
      else if (callback) callback(refusal);
      else call.emit('error', refusal);
    };
    return [name, handle];
  });
  return Object.fromEntries(entries) as Handlers;
}

/** Basic authentication, as the client sends it over TLS only. */
function isKnown(users: Readonly<Record<string, string>>, metadata: Metadata): boolean {
  const [scheme, encoded = ''] = String(metadata.get('authorization')[0] ?? '').split(' ');
  const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return scheme === 'Basic' && name !== undefined && Object.hasOwn(users, name) && users[name] === password;
}
