import type { Metadata, ServiceError, UntypedHandleCall } from '@grpc/grpc-js';
import { accessDenied, notLeader, unavailable } from '../protocol/errors.js';
import type { ServiceContext } from './context.js';

interface AnyCall {
  readonly metadata: Metadata;
  emit(event: 'error', error: Error): void;
}

type AnyHandler = (call: AnyCall, callback?: (error: ServiceError) => void) => void;

/** The handlers, behind what holds for every call: silence, refused access, and that only a leader decides. */
export function gated<Handlers extends Record<string, UntypedHandleCall>>(
  { control }: ServiceContext,
  handlers: Handlers,
): Handlers {
  const refusalOf = ({ metadata }: AnyCall): ServiceError | null => {
    if (control.notReady) return unavailable('Server Is Not Ready');
    if (control.denyAccess) return accessDenied();
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
