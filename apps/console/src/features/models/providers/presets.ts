/** Providers of OpenAI-compatible APIs, as their documentation names them. */
export const PRESETS: readonly { name: string; baseUrl: string }[] = [
  { name: 'OpenAI', baseUrl: 'https://api.openai.com/v1' },
  { name: 'Anthropic', baseUrl: 'https://api.anthropic.com/v1' },
  { name: 'Google Gemini', baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  { name: 'Mistral AI', baseUrl: 'https://api.mistral.ai/v1' },
  { name: 'DeepSeek', baseUrl: 'https://api.deepseek.com' },
  { name: 'Qwen, DashScope (Beijing)', baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1' },
  { name: 'Qwen, DashScope (Singapore)', baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },
  { name: 'Moonshot AI (moonshot.cn)', baseUrl: 'https://api.moonshot.cn/v1' },
  { name: 'Moonshot AI (moonshot.ai)', baseUrl: 'https://api.moonshot.ai/v1' },
  { name: 'Zhipu AI (bigmodel.cn)', baseUrl: 'https://open.bigmodel.cn/api/paas/v4' },
  { name: 'Zhipu AI (z.ai)', baseUrl: 'https://api.z.ai/api/paas/v4' },
  { name: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1' },
  { name: 'Ollama', baseUrl: 'http://localhost:11434/v1' },
  { name: 'vLLM', baseUrl: 'http://localhost:8000/v1' },
];
