package metrics

import "github.com/prometheus/client_golang/prometheus"

// source is a collector of figures that other packages keep. They are read
// together, once for each scrape.
type source[T any] struct {
	read    func() T
	figures []figure[T]
}

// figure is one metric of a source.
type figure[T any] struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	each func(now T, show func(value float64, labels ...string))
}

func gauge[T any](name, help string, of func(T) float64) figure[T] {
	return figureOf(prometheus.GaugeValue, name, help, of)
}

func counter[T any](name, help string, of func(T) float64) figure[T] {
	return figureOf(prometheus.CounterValue, name, help, of)
}

func figureOf[T any](kind prometheus.ValueType, name, help string, of func(T) float64) figure[T] {
	return labelled(kind, name, help, nil, func(now T, show func(float64, ...string)) { show(of(now)) })
}

// labelled is a figure with several values. Each combination of labels may be
// reported once.
func labelled[T any](
	kind prometheus.ValueType, name, help string, labels []string, each func(T, func(float64, ...string)),
) figure[T] {
	return figure[T]{prometheus.NewDesc(name, help, labels, nil), kind, each}
}

// Describe implements [prometheus.Collector].
func (s *source[T]) Describe(out chan<- *prometheus.Desc) {
	for _, f := range s.figures {
		out <- f.desc
	}
}

// Collect implements [prometheus.Collector].
func (s *source[T]) Collect(out chan<- prometheus.Metric) {
	now := s.read()
	for _, f := range s.figures {
		f.each(now, func(value float64, labels ...string) {
			out <- prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
		})
	}
}
