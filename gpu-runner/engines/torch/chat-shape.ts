import type { ChatMessage, GenerationTool } from '../decoder-engine.js';

/** Messages and tools in the shape of OpenAI, which chat templates read. */
export const openAiMessage = ({ role, content, toolCalls, toolCallId }: ChatMessage): object => ({
  role,
  content,
  ...(toolCalls &&
    toolCalls.length > 0 && {
      tool_calls: toolCalls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      })),
    }),
  ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
});

export const openAiTool = ({ name, description, parameters }: GenerationTool): object => ({
  type: 'function',
  function: { name, ...(description !== undefined && { description }), parameters },
});
