// Charts as graphs.

import Testing

@testable import Charts

@Suite struct `Charts that are drawn` {
    private func chart(_ text: String) throws -> ChartDefinition {
        try #require(FlowFile(text: text, path: "lamp.json5").definition)
    }

    private static let lamp = """
        {
          id: "lamp", initial: "off", context: { n: 0 },
          states: {
            off: { on: { press: { guard: "n < 3 and 'a' ~= \\"b\\"", target: "on" }, knock: { assign: { n: "n + 1" } } } },
            on: {
              initial: "dim", after: { "10s": "off" }, on: { press: "off" },
              states: { dim: { on: { more: "bright" } }, bright: { on: { more: "off" } }, last: { type: "history" } },
            },
          },
        }
        """

    @Test func `states stand in frames, and what leads the same way is one arrow`() throws {
        #expect(
            try chart(Self.lamp).dot == """
                digraph "lamp" {
                  rankdir=LR; node [shape=box, style=rounded];
                  start [shape=point];
                  s1 [label="off\\nknock"];
                  subgraph cluster2 {
                    style="rounded";
                    s2 [label="on", shape=plaintext];
                    s3 [label="dim"];
                    s4 [label="bright"];
                    s5 [label="H", shape=circle];
                    s2 -> s3 [style=dotted];
                  }
                  start -> s1;
                  s1 -> s2 [label="press [n < 3 and 'a' ~= \\"b\\"]"];
                  s2 -> s1 [label="after 10s\\npress"];
                  s3 -> s4 [label="more"];
                  s4 -> s1 [label="more"];
                }
                """)
    }

    @Test func `marks that mean something in HTML or to Mermaid are written out`() throws {
        let drawn = try chart(Self.lamp).mermaid
        #expect(drawn.contains("s1 -->|\"press [n #lt; 3 and 'a' ~= #quot;b#quot;]\"| s2"))
        #expect(drawn.contains("subgraph s2[\"on\"]"))
    }

    @Test func `regions of a parallel state begin all`() throws {
        let drawn = try chart(#"{ id: "two", type: "parallel", states: { a: { states: { x: { type: "final" } } }, b: {} } }"#)
            .dot
        #expect(
            drawn.contains("start -> s0;") && drawn.contains("s0 -> s1 [style=dotted];")
                && drawn.contains("s0 -> s3 [style=dotted];"))
        #expect(drawn.contains("s2 [label=\"x\", peripheries=2];") && drawn.contains("style=\"rounded,dashed\""))
    }
}
