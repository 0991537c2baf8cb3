//go:build browser

package browser

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// stepTakes is a time that only a fault takes.
const stepTakes = 20 * time.Second

// do carries steps out.
func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, stepTakes)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, ctx context.Context, selector string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, stepTakes)
	defer cancel()
	text, err := chromedp.Run(ctx, steady(chromedp.Text(chromedp.CSS(selector))))
	if err != nil {
		t.Fatalf("%s: %v", selector, err)
	}
	return text
}

// eval asks the page for a value.
func eval[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, stepTakes)
	defer cancel()
	value, err := chromedp.Run(ctx, steady(chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise)))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return value
}

func typed(selector, text string) chromedp.Action[chromedp.Void] {
	return steady(chromedp.SendKeys(chromedp.CSS(selector), text))
}

func click(selector string) chromedp.Action[chromedp.Void] {
	return steady(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

func shown(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.WaitVisible(chromedp.CSS(selector))
}

// listEnded waits for the page of a list that has ended. While a list runs, its
// page changes by itself, and at the end it is loaded again.
var listEnded = shown("#progress:not([data-events]) .pill.good")

// gone is the code of the browser for an element that its page no longer has,
// or for the page itself.
const gone = -32000

// steady carries a step out, from the search for its element on, until the page
// does not change meanwhile. The browser says that an element is gone before
// anything is done to it, so that nothing is done twice.
func steady[T any](step chromedp.Action[T]) chromedp.Action[T] {
	return func(ctx context.Context, t *chromedp.Target) (T, error) {
		for {
			value, err := step(ctx, t)
			var said *cdproto.Error
			if !errors.As(err, &said) || said.Code != gone || ctx.Err() != nil {
				return value, err
			}
			_, _ = chromedp.Sleep(5*time.Millisecond)(ctx, t)
		}
	}
}

// follow clicks on what leads to another page, and waits until that has been
// loaded: where both pages show the same, it tells them apart.
func follow(selector string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		var next cdp.LoaderID
		left := func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			ofTab := func(e page.EventFrameNavigated) bool { return e.Frame.ParentID == "" }
			e, err := chromedp.WaitEvent(page.FrameNavigated, ofTab, click(selector))(ctx, t)
			if err == nil {
				next = e.Frame.LoaderID
			}
			return chromedp.Void{}, err
		}
		loaded := func(e page.EventLifecycleEvent) bool { return e.LoaderID == next && e.Name == "load" }
		_, err := chromedp.WaitEvent(page.LifecycleEvent, loaded, left)(ctx, t)
		return chromedp.Void{}, err
	}
}
