import type { Caller } from '#application/caller.js';
import type { SignedThoughts } from '#domain/inference/index.js';
import type { GenerationRequest, Message, UpstreamOptions } from '../../hosted/port.js';
import type { DecoderCall, DecoderSource, Generate } from '../../decoders.js';
import { requireUpstream } from '../../fit.js';
import type { Model } from '../../models.js';
import { lacksSignatures, type ThoughtsBook } from '../../signed-thoughts.js';
import { HOSTED, workspaceOf, type HostedParts } from './backend.js';

/** Decoders of hosted providers. */
export class HostedDecoders implements DecoderSource {
  readonly backend = HOSTED;

  constructor(private readonly parts: Omit<HostedParts, 'lifecycle'> & { readonly thoughts: ThoughtsBook }) {}

  async open(model: Model, { caller, generation, stream = true }: DecoderCall): Promise<Generate> {
    const { hosted, accounts } = this.parts;
    const workspace = workspaceOf(await accounts.of(caller.teamId), caller);
    const messages = await this.messages(model, caller, generation);
    return (request, { signal, onProvider, onDropped }) =>
      hosted.generate(
        requireUpstream(model, hosted),
        messages === request.messages ? request : { ...request, messages },
        { signal, onProvider, onDropped, stream, workspace },
      );
  }

  remember({ workspaceId }: Caller, thoughts: SignedThoughts): void {
    this.parts.thoughts.remember(workspaceId, thoughts);
  }

  /** A provider's model is always loaded. */
  async warmUp(model: Model): Promise<void> {
    requireUpstream(model, this.parts.hosted);
  }

  async countTokens(
    model: Model,
    caller: Caller,
    request: GenerationRequest,
    options: UpstreamOptions,
  ): Promise<number | null> {
    const { hosted, accounts } = this.parts;
    const provider = requireUpstream(model, hosted);
    try {
      const workspace = workspaceOf(await accounts.of(caller.teamId), caller);
      const messages = await this.messages(model, caller, request);
      return await hosted.countTokens(provider, { ...request, messages }, { ...options, workspace });
    } catch (error) {
      throw HOSTED.failureOf(error, model, undefined).answer;
    }
  }

  /** The messages, with signatures that a client left out if the provider needs them. */
  private messages(
    { entry: { provider } }: Model,
    { workspaceId }: Caller,
    request: GenerationRequest,
  ): readonly Message[] | Promise<readonly Message[]> {
    const { hosted, thoughts } = this.parts;
    if (provider === null || !lacksSignatures(request) || !hosted.verifiesThoughts(provider)) return request.messages;
    return thoughts.restored(workspaceId, provider, request.messages);
  }
}
