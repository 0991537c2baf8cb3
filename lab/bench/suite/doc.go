// Package suite runs the scenarios: it starts the processes of a world and of
// the tools, takes the figures of several runs, and writes them down beside the
// goals.
//
// Within a run the tools take turns in the same world, so that a ratio compares
// figures of the same minutes; a figure is the median of all runs, and a ratio
// the median of the ratios of the runs. What must never happen is shown as the
// worst of all runs.
package suite
