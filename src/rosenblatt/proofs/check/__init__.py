"""The verifier: the code that must be trusted.

With one certificate per class, ``Certificates.covers`` also checks that every class has one.
"""
