import type { ComponentType } from 'react';
import { keysOf, listFieldNames, type FieldParts } from '../../../ui/forms/field-names.ts';
import { AccessFields } from './access-fields.tsx';
import { NEW_LOCAL_TOOL, type AgentForm } from './agent-values.ts';
import { DescriptionField, NameField, SystemPromptField } from './basic-fields.tsx';
import { LocalToolsFields } from './local-tools-fields.tsx';
import { ModelField } from './model-field.tsx';
import { MODEL_PARAMETERS } from './model-parameters.ts';
import { SettingsFields } from './settings-fields.tsx';
import { SpaceToolsField, ToolSwitches } from './tools-fields.tsx';

const MAX_LOCAL_TOOLS = 64;

interface AgentField<Value> {
  /** The card that shows it. */
  card: 'basics' | 'instructions' | 'tools' | 'access';
  /** In a new agent. */
  initial: Value;
  /** How errors of the service name it. */
  named: FieldParts;
  /** Null if the component of another field shows it as well. */
  Field: ComponentType | null;
}

/** Every field of the form, in the order of its cards: a new one needs a line here and its texts. */
export const AGENT_FIELDS: { [Name in keyof AgentForm]: AgentField<AgentForm[Name]> } = {
  name: { card: 'basics', initial: '', named: true, Field: NameField },
  description: { card: 'basics', initial: '', named: true, Field: DescriptionField },
  model: { card: 'basics', initial: '', named: true, Field: ModelField },
  systemPrompt: { card: 'instructions', initial: '', named: true, Field: SystemPromptField },
  settings: {
    card: 'instructions',
    initial: {},
    named: MODEL_PARAMETERS.map(({ name }) => name),
    Field: SettingsFields,
  },
  currentTime: { card: 'tools', initial: false, named: null, Field: ToolSwitches },
  askUser: { card: 'tools', initial: true, named: true, Field: null },
  knowledge: { card: 'tools', initial: { enabled: false, topK: 5 }, named: ['topK'], Field: null },
  tools: { card: 'tools', initial: [], named: true, Field: SpaceToolsField },
  localTools: {
    card: 'tools',
    initial: [],
    named: Array.from({ length: MAX_LOCAL_TOOLS }, (_, i) =>
      keysOf(NEW_LOCAL_TOOL).map((field) => `${i}.${field}`),
    ).flat(),
    Field: LocalToolsFields,
  },
  accessScope: { card: 'access', initial: 'SPACE', named: true, Field: AccessFields },
  allowedUserIds: { card: 'access', initial: [], named: true, Field: null },
};

/** Names of the form fields as they appear in error messages of the service. */
export const AGENT_FIELD_NAMES = listFieldNames(
  Object.fromEntries(Object.entries(AGENT_FIELDS).map(([name, { named }]) => [name, named])),
);
