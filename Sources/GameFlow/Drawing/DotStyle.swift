// How Graphviz draws flows: from left to right, in few colours, no wider than a page.

package enum DotStyle {
    package static let font = #"fontname="Helvetica,Arial,sans-serif""#

    /// What a graph begins with. Its size is in inches: what is wider than 1000 points is drawn smaller.
    package static let lines = [
        #"  rankdir=LR; compound=true; size="13.8,100"; nodesep=0.25; ranksep=0.3; labeljust=l; fontsize=12; \#(font);"#,
        ##"  node [shape=box, style="rounded,filled", fillcolor="#e3eefa", color="#3b6ea5", height=0.35, fontsize=12, \##(font)];"##,
        ##"  edge [arrowsize=0.7, color="#556677", fontcolor="#334455", fontsize=10, \##(font)];"##,
    ]

    /// Where something begins.
    package static let dot = ##"[shape=point, width=0.09, fillcolor="#334455", color="#334455"]"##
    package static let final = "penwidth=2.5"
}
