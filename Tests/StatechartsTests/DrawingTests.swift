// Charts as graphs.

import GameFlow
import Testing

@testable import Statecharts

@Suite struct `Drawings of charts` {
    private func chart(_ text: String) throws -> ChartDefinition {
        try #require(FlowFile(bytes: Array(text.utf8), path: "lamp.json5").definition)
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

    /// The DOT text without the lines that every graph begins with.
    private func dot(_ text: String) throws -> String {
        try chart(text).graph.dot.replacing(DotStyle.lines.joined(separator: "\n") + "\n", with: "")
    }

    private static let word =
        ##"color=transparent, width=0, height=0, margin="0.07,0.03", fontsize=10, fontcolor="#334455"];"##

    @Test func `A DOT drawing has frames, labelled arrows, and one arrow for transitions with the same ends`() throws {
        #expect(
            try dot(Self.lamp) == """
                digraph "lamp" {
                  b0 \(DotStyle.dot);
                  b0 -> s1;
                  e0 [label="press\\n[n < 3 and 'a' ~= \\"b\\"]", style="solid", \(Self.word)
                  e3 [label="more", style="solid", \(Self.word)
                  s1 [label="off\\nknock"];
                  subgraph cluster2 {
                    label=<<b>on</b><br align="left"/>>; style="rounded,filled"; fillcolor="#f4f8fc"; color="#8fa8c4";
                    b2 \(DotStyle.dot);
                    b2 -> s3;
                    e1 [label="after 10s\\npress", style="rounded,filled", \(Self.word)
                    e2 [label="more", style="solid", \(Self.word)
                    s3 [label="dim"];
                    s4 [label="bright"];
                    s5 [label="H", shape=circle, margin=0];
                  }
                  s1 -> e0 [dir=none];
                  e0 -> b2;
                  s1 -> e1 [dir=back];
                  s3 -> e2 [dir=none];
                  e2 -> s4;
                  e3 -> s4 [dir=none];
                  s1 -> e3 [dir=back];
                }
                """)
    }

    @Test func `Names of any characters are escaped in labels and in the titles of frames`() throws {
        let drawn = try dot(
            #"{ id: "x", initial: "<&>", states: { "<&>": { initial: "a\"b\\", on: { go: {}, "*": { guard: "1 < 2" } }, states: { "a\"b\\": {} } } } }"#
        )
        #expect(drawn.contains("label=<<b>&lt;&amp;&gt;</b><br align=\"left\"/><font point-size=\"10\">go</font>"))
        #expect(drawn.contains("<font point-size=\"10\">* [1 &lt; 2]</font>"))
        #expect(drawn.contains(#"[label="a\"b\\"];"#))
    }

    @Test
    func `A computed length is drawn with its timer's name, and long labels are broken into lines`()
        throws
    {
        let drawn = try dot(
            """
            {
              id: "long", context: { minutes: 5 }, initial: "a",
              states: {
                a: { after: { "5m": { name: "white", delay: "minutes * 60000", target: "b" } }, initial: "short", states: { short: {}, longer: { states: { way: {} } } } },
                b: { on: { back: { guard: "state('a.longer.way') and not state('a.short') or minutes == 5", target: "a" } } },
              },
            }
            """)
        #expect(drawn.contains(#"label="after white\n= minutes * 60000""#))
        #expect(drawn.contains(#"label="back\n[state('a.longer.way')\nand not state('a.short')\nor minutes == 5]""#))
    }

    @Test
    func `An arrow into its own frame ends at the initial dot, and an arrow into regions at their border`()
        throws
    {
        let drawn = try dot(
            """
            {
              id: "deep", initial: "a",
              states: {
                a: { on: { go: "b" } },
                b: { type: "parallel", on: { again: "b" }, states: { left: { states: { x: { on: { home: "b.left" } } } }, right: {} } },
              },
            }
            """)
        #expect(drawn.contains("e0 -> b3 [lhead=cluster2];") && drawn.contains("  e1 -> b3;"))
        #expect(drawn.contains("b3 -> e2 [dir=back];") && drawn.contains("e2 -> s4 [dir=none];"), "\(drawn)")
    }

    @Test func `Mermaid labels escape characters that have a meaning in HTML or Mermaid`() throws {
        let drawn = try chart(Self.lamp).graph.mermaid
        #expect(drawn.contains("s1 -->|\"press [n #lt; 3 and 'a' ~= #quot;b#quot;]\"| s2"))
        #expect(drawn.contains("subgraph s2[\"on\"]"))
    }

    @Test func `A Mermaid drawing has no arrow between a frame and a state inside it`() throws {
        let drawn = try chart(
            #"{ id: "in", initial: "a", states: { a: { initial: "b", on: { go: ".c" }, states: { b: { on: { out: "a" } }, c: {} } } } }"#
        ).graph.mermaid
        #expect(drawn.contains("    e0[\"go\"]\n") && drawn.contains("  e0 --> s3"))
        #expect(drawn.contains("  s2 -->|\"out\"| b1"))
    }

    @Test func `Regions are drawn dashed, and a parallel state has no initial dot`() throws {
        let two = #"{ id: "two", type: "parallel", states: { a: { states: { x: { type: "final" } } }, b: {} } }"#
        let drawn = try dot(two)
        #expect(
            !drawn.contains("b0") && drawn.contains("label=<<b>two</b>") && drawn.contains("style=\"rounded,filled,dashed\""))
        #expect(drawn.contains("b1 -> s2;") && drawn.contains("s2 [label=\"x\", penwidth=2.5];"))
        let mermaid = try chart(two).graph.mermaid
        #expect(mermaid.contains("subgraph s0[\"two\"]") && mermaid.contains("style s1 stroke-dasharray: 5 5"))
        #expect(!mermaid.contains("b0"))
    }
}
