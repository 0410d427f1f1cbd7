# A thin door to meson: every target first installs what is missing and builds what is out of date.
.PHONY: demo test clean

demo:
	@tools/build
	@tools/demo

test:
	@tools/build
	@tools/run-tests

clean:
	rm -rf build results
