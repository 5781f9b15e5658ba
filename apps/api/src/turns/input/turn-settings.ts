import type { AgentKnowledge, AgentSettings, ChatRequest } from '@platform/contracts';
import type { TurnSettings } from '../records/turn.ts';

/** The settings of the request, with the agent's defaults. */
export function settingsOf(
  { settings: defaults, knowledge }: { settings: AgentSettings; knowledge: AgentKnowledge },
  request: Pick<ChatRequest, 'settings' | 'registeredLocalTools'>,
): TurnSettings {
  const asked = request.settings;
  const settings = {
    temperature: asked?.temperature ?? defaults.temperature ?? undefined,
    maxTokens: asked?.max_tokens ?? defaults.max_tokens ?? undefined,
    topP: asked?.top_p ?? defaults.top_p ?? undefined,
    frequencyPenalty: asked?.frequency_penalty ?? defaults.frequency_penalty ?? undefined,
    presencePenalty: asked?.presence_penalty ?? defaults.presence_penalty ?? undefined,
  };
  return {
    ...settings,
    chatMode: asked?.chat_mode ?? 'agent',
    disableWebSearch: asked?.disable_web_search ?? false,
    knowledge: knowledge.enabled,
    registeredLocalTools: request.registeredLocalTools ?? [],
    interactive: true,
    source: 'chat',
    variables: {},
  };
}
