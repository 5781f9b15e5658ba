import { REFRESH_COOKIE, cookieOptions } from './refresh-cookie.service.ts';

describe('the refresh cookie', () => {
  it('is out of reach of scripts and of other sites, and goes to the sign-in routes alone', () => {
    expect(REFRESH_COOKIE).toBe('platform_refresh');
    expect(cookieOptions('http://localhost:3000')).toEqual({
      httpOnly: true,
      sameSite: 'lax',
      path: '/api/auth',
      secure: false,
    });
  });

  it('is Secure exactly when the public address is https', () => {
    expect(cookieOptions('https://platform.example.com').secure).toBe(true);
  });
});
