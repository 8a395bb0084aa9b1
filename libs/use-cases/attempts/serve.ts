import type { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import type { Subscription } from '#ports/bus/port.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { traced } from '#primitives/tracing/index.js';
import {
  claimSubject,
  reportSubject,
  type ClaimReply,
  type ClaimRequest,
  type ReportReply,
  type ReportRequest,
} from '#gpu-runner/contract/work.js';
import type { AttemptedWork } from './attempted-work.js';
import { objectKeysOf } from './object-keys.js';
import { evaluationAttempts } from './evaluation-attempts.js';
import { exportAttempts } from './export-attempts.js';
import { trainingAttempts } from './training-attempts.js';

/** Serves runners' claims and reports. Any number of processes may do so at once: the log decides. */
export function serveRunners(application: Application): Subscription {
  const served = [trainingAttempts, evaluationAttempts, exportAttempts].map((work) => serveAttempts(application, work));
  return { stop: async () => void (await Promise.all(served.map((subscription) => subscription.stop()))) };
}

function serveAttempts(application: Application, work: AttemptedWork): Subscription {
  const { bus } = application.ports;
  const { kind } = work;
  const subscriptions = [
    bus.serve(claimSubject(kind), (body) => {
      const request = body as unknown as ClaimRequest;
      return traced(`claim ${kind}`, { carrier: request }, () => claim(application, work, request));
    }),
    bus.serve(reportSubject(kind), (body) => {
      const request = body as unknown as ReportRequest;
      return traced(`report ${kind}`, { carrier: request }, () => record(application, work, request));
    }),
  ];
  return { stop: async () => void (await Promise.all(subscriptions.map((subscription) => subscription.stop()))) };
}

async function claim(application: Application, work: AttemptedWork, request: ClaimRequest): Promise<JsonObject> {
  const { id, attempt, runnerId } = request;
  const commandId = `${work.kind}/${id}/${attempt}/claim/${runnerId}`;
  const context = runnerContext(runnerId, commandId, new Date().toISOString());
  const reply = await work.claim(application, request, context).then(
    async (granted): Promise<ClaimReply> => {
      const objectKeys = await objectKeysOf(application, granted);
      return { granted: true, work: granted, ...(objectKeys && { objectKeys }) };
    },
    (error: unknown): ClaimReply => {
      if (error instanceof ConflictError || error instanceof NotFoundError)
        return { granted: false, reason: error.message };
      throw error;
    },
  );
  return reply;
}

async function record(application: Application, work: AttemptedWork, request: ReportRequest): Promise<JsonObject> {
  const context = runnerContext(request.runnerId, request.commandId, new Date().toISOString());
  const reply: ReportReply = { wanted: await work.record(application, request, context) };
  return reply;
}

/** The workspace is the job's own; it is filled in once the job is known. */
const runnerContext = (runnerId: string, commandId: string, now: string): CommandContext => ({
  workspaceId: null,
  actor: `runner:${runnerId}`,
  correlationId: commandId,
  commandId,
  now,
});
