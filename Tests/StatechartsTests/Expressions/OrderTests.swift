// Iteration, sorting, numbers and texts are the same on every machine.

import Glibc
import JSON
import Testing

@testable import Statecharts

@Suite struct `The order of tables` {
    @Test func `The pairs function visits numbers ascending, then texts by their bytes, then false and true`() throws {
        let text = """
            (function()
                local t = { [true] = 0, b = 0, ['ä'] = 0, a = 0, Z = 0, [10] = 0, [2.5] = 0, [-1] = 0, [false] = 0, ab = 0, [9007199254740993] = 0,
                    [9007199254740992.0] = 0, [''] = 0 }
                local keys = {}
                for key in pairs(t) do keys[#keys + 1] = tostring(key) end
                return keys
            end)()
            """
        let keys: JSON = [
            "-1", "2.5", "10", "9007199254740992", "9007199254740993", "", "Z", "a", "ab", "b", "ä", "false", "true",
        ]
        #expect(try evaluated(text) == keys)
    }

    @Test func `The pairs function skips a key that is removed during the walk, and does not visit an added one`() throws {
        let text =
            "(function() local t, seen = { a = 1, b = 2, c = 3 }, {} for k in pairs(t) do t.b = nil t.z = 1 seen[#seen + 1] = k end return seen end)()"
        #expect(try evaluated(text) == ["a", "c"])
    }

    @Test func `Sorting a table is stable for any length`() throws {
        let text = """
            (function()
                local list = {}
                for i = 1, 500 do list[i] = { i * 7919 & 7, i } end
                table.sort(list, function(a, b) return a[1] < b[1] end)
                for i = 2, 500 do
                    local a, b = list[i - 1], list[i]
                    if a[1] > b[1] or a[1] == b[1] and a[2] > b[2] then return i end
                end
                return #list
            end)()
            """
        #expect(try evaluated(text) == 500)
        #expect(try evaluated("(function() local t = {3, 1, 2} table.sort(t) return t end)()") == [1, 2, 3])
        #expect(try evaluated("(function() local t = {'b', 'a', 'C'} table.sort(t) return t end)()") == ["C", "a", "b"])
        #expect(
            try evaluated("(function() local t = {3, 1, 2} table.sort(t, function() return true end) return #t end)()") == 3)
        #expect(try evaluationError("table.sort({1, 'a'})")?.contains("cannot compare") == true)
    }

    /// Skipped if the locale is not installed. gamectl runs in the user's locale.
    @Test(arguments: ["de_DE.UTF-8", "en_US.UTF-8", "C.UTF-8"])
    func `The program's locale does not change the values of expressions`(_ name: String) throws {
        // LC_ALL_MASK, a macro that Swift does not see.
        guard let locale = newlocale(0x1FBF, name, nil) else { return }
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        #expect(try evaluated("1.5 .. ''") == "1.5")
        #expect(try evaluated("tonumber('2.5') + 0.25") == .number(2.75))
        #expect(try evaluated("'B' < 'a' and 'z' < 'ä'") == true)
        #expect(try evaluated("string.upper('ä') == 'ä'") == true)
        #expect(uselocale(nil) == locale)
    }
}
