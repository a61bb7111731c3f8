// What is left of the page when a component fails: the rest, and a way to go on.

import { Component, type ReactNode } from 'react';

export class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="failed">
        <p role="alert">
          This part of the page has failed.{' '}
          <button type="button" className="link" onClick={() => this.setState({ failed: false })}>
            Show it again
          </button>{' '}
          <button type="button" className="link" onClick={() => window.location.reload()}>
            Reload the page
          </button>
        </p>
      </div>
    );
  }
}
