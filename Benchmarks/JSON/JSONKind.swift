// Kinds of data that readers of JSON are fast or slow with.

struct JSONKind {
    let name: String
    /// A little less than a megabyte.
    let text: String

    static let all = [
        JSONKind("numbers of one digit") { "\($0 % 10)" },
        JSONKind("numbers of one to ten digits") { "\($0 &* 2_654_435_761 % 10_000_000_000 >> ($0 % 30))" },
        JSONKind("doubles") { "\(Double($0 &* 2_654_435_761 % 1_000_003) / 1_000_003)" },
        JSONKind("doubles near the largest") { "1.\($0 % 8)e308" },
        JSONKind("short arrays") { "[\($0 % 10)]" },
        JSONKind("short objects") { "{\"a\":\($0 % 10)}" },
        JSONKind("arrays, sixty deep") { _ in String(repeating: "[", count: 60) + String(repeating: "]", count: 60) },
        JSONKind("short texts") { "\"s\($0 % 1_000)\"" },
        JSONKind("long texts") { _ in "\"" + String(repeating: "a text without anything in it ", count: 500) + "\"" },
        JSONKind("escapes") { _ in #""\n\t\u0041\"\ud83d\ude00""# },
        JSONKind("texts that are not ASCII") { _ in "\"übergröße 日本語 😀\"" },
        JSONKind("objects on many lines") {
            "\n    {\n        \"id\": \($0),\n        \"name\": \"somebody\",\n        \"ok\": true\n    }"
        },
    ]

    private init(_ name: String, _ element: (Int) -> String) {
        self.name = name
        var (text, number) = ("[", 0)
        while text.utf8.count < 1_000_000 {
            text += element(number) + ","
            number += 1
        }
        self.text = text + "null]"
    }
}
