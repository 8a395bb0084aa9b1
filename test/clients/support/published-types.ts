/**
 * The types that the SDKs publish, of what is answered here and of what upstreams take. JSON schemas are made of them by their
 * names, which therefore must be none of the SDKs' own.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type Anthropic2023 from 'anthropic-sdk-0';
import type OpenAI from 'openai';

export type ChatAnswer = OpenAI.ChatCompletion;
export type ChatChunk = OpenAI.ChatCompletionChunk;
export type TextAnswer = OpenAI.Completion;
export type ResponsesAnswer = OpenAI.Responses.Response;
export type ResponsesEvent = OpenAI.Responses.ResponseStreamEvent;
export type EmbeddingsAnswer = OpenAI.CreateEmbeddingResponse;
export type OpenAiModel = OpenAI.Model;
export type OpenAiError = OpenAI.ErrorObject;
export type MessagesAnswer = Anthropic.Message;
export type MessagesEvent = Anthropic.MessageStreamEvent;
export type TokenCountAnswer = Anthropic.MessageTokensCount;
export type AnthropicModel = Anthropic.ModelInfo;
export type AnthropicError = Anthropic.ErrorResponse;

export type ChatBody = OpenAI.ChatCompletionCreateParams;
export type TextBody = OpenAI.CompletionCreateParams;
export type EmbeddingsBody = OpenAI.EmbeddingCreateParams;
/** Bodies of version 2026-10-21, and of 2023-06-01. */
export type MessagesBody = Anthropic.MessageCreateParams;
export type Messages2023Body = Anthropic2023.MessageCreateParams;
/** Bodies of version 2023-06-01 with betas. */
export type MessagesBeta2023Body = Anthropic2023.Beta.MessageCreateParams;
export type TokenCountBody = Anthropic.MessageCountTokensParams;
export type TokenCount2023Body = Anthropic2023.MessageCountTokensParams;
