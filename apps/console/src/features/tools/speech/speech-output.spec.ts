import { describe, expect, it } from '@jest/globals';
import { readSpeechOutput } from './speech-output.ts';

describe('readSpeechOutput', () => {
  it('reads a success', () => {
    const figures = { text: 'Hello', language: 'en-US', audioSize: 44, executionTime: 12 };
    expect(readSpeechOutput({ success: true, ...figures, confidence: 0.85 })).toEqual({
      success: true,
      ...figures,
    });
  });

  it.each([
    ['AUDIO_TOO_LONG: It has 61 seconds', 'AUDIO_TOO_LONG', 'It has 61 seconds'],
    ['UNSUPPORTED_FORMAT: The audio is Ogg: sorry', 'UNSUPPORTED_FORMAT', 'The audio is Ogg: sorry'],
    ['SOMETHING_NEW: went wrong', null, 'SOMETHING_NEW: went wrong'],
  ])('splits %s', (error, code, message) => {
    expect(readSpeechOutput({ success: false, error, failed: true })).toEqual({
      success: false,
      code,
      message,
    });
  });

  it.each([null, 'text', {}, { success: 'true' }])('treats %j as a failure', (output) => {
    expect(readSpeechOutput(output)).toEqual({ success: false, code: null, message: '' });
  });
});
