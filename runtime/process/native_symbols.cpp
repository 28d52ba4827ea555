#include "runtime/process/native_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <iterator>

#include <fmt/format.h>

#include "runtime/process/memory_file.h"

// gdb's manual, "JIT Compilation Interface": it looks for these names, and breaks in the function.
extern "C" {
struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};
struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};
jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
__attribute__((noinline, used)) void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
}

namespace hawser::process {
namespace {

constexpr std::uint32_t kRegister = 1;  // jit_descriptor::action_flag

// Code of a generation that was replaced may still run: what was registered stays.
struct Registered {
  std::vector<std::byte> object;
  jit_code_entry entry;
};

void register_object(std::vector<std::byte> object) {
  static std::deque<Registered> all;
  Registered& made = all.emplace_back(Registered{std::move(object), {}});
  made.entry = {__jit_debug_descriptor.first_entry, nullptr, reinterpret_cast<const char*>(made.object.data()),
                made.object.size()};
  if (made.entry.next_entry != nullptr) made.entry.next_entry->prev_entry = &made.entry;
  __jit_debug_descriptor.first_entry = __jit_debug_descriptor.relevant_entry = &made.entry;
  __jit_debug_descriptor.action_flag = kRegister;
  __jit_debug_register_code();
}

// From the first byte of all of them to the last one.
std::span<const std::byte> region_of(std::span<const NativeSymbol> symbols) {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  for (const NativeSymbol& symbol : symbols) {
    if (begin == nullptr || symbol.at < begin) begin = symbol.at;
    if (symbol.at + symbol.size > end) end = symbol.at + symbol.size;
  }
  return {begin, end};
}

// A table of names; the first one is empty.
class Names {
 public:
  std::uint32_t add(std::string_view name) {
    const auto at = static_cast<std::uint32_t>(text_.size());
    text_.append(name).push_back('\0');
    return at;
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_ = std::string(1, '\0');
};

template <class T>
std::size_t append(std::vector<std::byte>& out, const T* data, std::size_t count) {
  const std::size_t at = out.size();
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  out.insert(out.end(), bytes, bytes + count * sizeof(T));
  out.resize((out.size() + 7) & ~std::size_t{7});
  return at;
}

}  // namespace

std::string perf_map(std::span<const NativeSymbol> symbols) {
  std::string text;
  for (const NativeSymbol& symbol : symbols) {
    fmt::format_to(std::back_inserter(text), "{:x} {:x} {}\n", reinterpret_cast<std::uintptr_t>(symbol.at), symbol.size,
                   symbol.name);
  }
  return text;
}

std::vector<std::byte> symbol_object(std::span<const NativeSymbol> symbols) {
  enum : std::uint16_t { none, text, symbol_table, names_table, section_names, sections };
  const std::span<const std::byte> code = region_of(symbols);
  Names names;
  std::vector<Elf64_Sym> table(1);
  for (const NativeSymbol& symbol : symbols) {
    Elf64_Sym row{};
    row.st_name = names.add(symbol.name);
    row.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    row.st_shndx = text;
    row.st_value = static_cast<Elf64_Addr>(symbol.at - code.data());
    row.st_size = symbol.size;
    table.push_back(row);
  }
  Names titles;
  std::array<Elf64_Shdr, sections> rows{};
  std::vector<std::byte> out(sizeof(Elf64_Ehdr));
  rows[text] = {titles.add(".text"),
                SHT_NOBITS,
                SHF_ALLOC | SHF_EXECINSTR,
                reinterpret_cast<Elf64_Addr>(code.data()),
                0,
                code.size(),
                0,
                0,
                16,
                0};
  rows[symbol_table] = {titles.add(".symtab"),
                        SHT_SYMTAB,
                        0,
                        0,
                        append(out, table.data(), table.size()),
                        table.size() * sizeof(Elf64_Sym),
                        names_table,
                        1,
                        8,
                        sizeof(Elf64_Sym)};
  rows[names_table] = {titles.add(".strtab"), SHT_STRTAB, 0, 0, append(out, names.text().data(), names.text().size()),
                       names.text().size(),   0,          0, 1, 0};
  const std::uint32_t title = titles.add(".shstrtab");
  rows[section_names] = {
      title, SHT_STRTAB, 0, 0, append(out, titles.text().data(), titles.text().size()), titles.text().size(),
      0,     0,          1, 0};
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = sections;
  header.e_shstrndx = section_names;
  header.e_shoff = append(out, rows.data(), rows.size());
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

bool tell_debuggers(std::span<const NativeSymbol> symbols) {
  register_object(symbol_object(symbols));
  const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
  // Another generation's functions stand there already. Nobody else's link is followed.
  const OwnedDescriptor file(open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
  const std::string map = perf_map(symbols);
  return file && write_all(file.get(), map.data(), map.size());
}

}  // namespace hawser::process
