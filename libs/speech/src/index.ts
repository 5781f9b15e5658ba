export { completeConfig, listConfigProblems, readSpeechEnvironment } from './config.ts';
export type { SpeechConfig } from './config.ts';
export type { SpeechProvider, SpeechRequest } from './provider.ts';
export { recognize, SPEECH_TOOL } from './speech-recognition.ts';
export type { RecognizeOptions } from './speech-recognition.ts';
export type { SpeechFetch, SpeechFetchRequest, SpeechFetchResponse } from './tencent-client.ts';
export { TencentSpeechProvider, unreachable } from './tencent-provider.ts';
export type { TencentSpeechOptions } from './tencent-provider.ts';
export type { SpeechErrorCode, SpeechFailure, SpeechInput, SpeechOutput, SpeechSuccess } from './types.ts';
