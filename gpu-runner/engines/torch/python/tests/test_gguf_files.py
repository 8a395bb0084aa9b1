"""The cost of loading a GGUF file."""

from pathlib import Path

import gguf

from anneal_runner.gguf_files import reads_once


def test_a_file_is_read_once_with_the_same_values(tmp_path: Path) -> None:
    file = tmp_path / "some.gguf"
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_token_list(["a", "bc", "ü"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    plain = gguf.GGUFReader(file)
    with reads_once():
        once = gguf.GGUFReader(file)
        assert once is gguf.GGUFReader(file) and once is not plain
        names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 2)
        assert names is gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 2)
    assert type(gguf.GGUFReader(file)) is type(plain)
    assert {name: field.contents() for name, field in once.fields.items()} == {
        name: field.contents() for name, field in plain.fields.items()
    }
    assert once.fields["tokenizer.ggml.tokens"].contents() == ["a", "bc", "ü"]
